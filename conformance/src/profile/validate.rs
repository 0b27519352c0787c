//! Whether a profile can be judged: it promises something and does not contradict itself.

use url::Url;

use super::{Kind, PolicyProfile, ProfileError, Sample};

/// The largest request budget that can be driven to its end within a check.
const MOST_REQUESTS: u64 = 100_000;

/// The largest byte budget that can be driven to its end within a check: 16 MiB.
const MOST_BYTES: u64 = 16 << 20;

/// A word, its value, the least and the most that can be judged, and what is said of another.
type Range = (
    &'static str,
    fn(&PolicyProfile) -> Option<u64>,
    u64,
    u64,
    &'static str,
);

const RANGES: &[Range] = &[
    (
        "requests",
        |p| p.requests,
        1,
        MOST_REQUESTS,
        "between 1 and 100000 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "distinct_endpoints",
        |p| p.distinct_endpoints,
        1,
        10_000,
        "between 1 and 10000 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "bytes",
        |p| p.bytes,
        1,
        MOST_BYTES,
        "between 1 and 16777216 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "burst",
        |p| p.burst,
        1,
        MOST_REQUESTS,
        "between 1 and 100000 can be judged; declare such a burst and build the subject with it",
    ),
    (
        "window_ms",
        |p| p.window_ms,
        1,
        u64::MAX / 1_000_000,
        "a window lasts at least 1 ms",
    ),
    (
        "block_ms",
        |p| p.block_ms,
        1,
        2_000,
        "between 1 and 2000 can be judged",
    ),
    (
        "max_calls",
        |p| p.max_calls,
        1,
        1_000_000,
        "between 1 and 1000000 can be judged",
    ),
    (
        "idle_ms",
        |p| p.idle_ms,
        1,
        u64::MAX / 1_000_000,
        "at least 1 ms",
    ),
];

impl PolicyProfile {
    /// Says whether the profile can be judged.
    ///
    /// # Errors
    ///
    /// The first [`ProfileError`] found; each says how to mend it.
    pub fn validate(&self) -> Result<(), ProfileError> {
        self.validate_texts()?;
        self.validate_kind()?;
        self.validate_ranges()?;
        self.validate_samples()
    }

    fn validate_texts(&self) -> Result<(), ProfileError> {
        for sample in self.allow.iter().chain(&self.refuse) {
            if let Some(fault) = sample.fault() {
                return Err(fault.clone().into());
            }
        }
        for endpoint in self.declared_endpoints() {
            if let Some(fault) = endpoint.fault() {
                return Err(fault.clone().into());
            }
        }
        Ok(())
    }

    fn validate_kind(&self) -> Result<(), ProfileError> {
        if *self == Self::default() {
            return Err(ProfileError::PromisesNothing);
        }
        match self.kind {
            None => Err(ProfileError::NoKind),
            Some(Kind::Stateless) => self.validate_stateless(),
            Some(Kind::Budget) => self.validate_budget(),
            Some(Kind::Rate) if self.requests.is_none() => Err(ProfileError::RateWithoutRequests),
            Some(Kind::Rate) => self.validate_rate(),
        }
    }

    fn validate_stateless(&self) -> Result<(), ProfileError> {
        let limits = [
            ("requests", self.requests.is_some()),
            ("bytes", self.bytes.is_some()),
            ("distinct_endpoints", self.distinct_endpoints.is_some()),
            ("window_ms", self.window_ms.is_some()),
            ("fixed, sliding or bucket", self.window.is_some()),
            ("burst", self.burst.is_some()),
            ("scope", self.scope.is_some()),
        ];
        if let Some((word, _)) = limits.into_iter().find(|(_, set)| *set) {
            return Err(ProfileError::LimitOnStateless { word });
        }
        let promises = !self.allow.is_empty()
            || !self.refuse.is_empty()
            || self.declared_endpoints().next().is_some()
            || !self.refuse_pairs.is_empty()
            || !self.refuse_segments.is_empty()
            || !self.refuse_keys.is_empty()
            || !self.refuse_methods.is_empty()
            || !self.tools.is_empty()
            || self.combinator;
        if promises {
            Ok(())
        } else {
            Err(ProfileError::PromisesNothing)
        }
    }

    fn validate_budget(&self) -> Result<(), ProfileError> {
        if self.requests.is_none() && self.bytes.is_none() && self.distinct_endpoints.is_none() {
            return Err(ProfileError::BudgetWithoutLimit);
        }
        if self.scope.is_none() {
            return Err(ProfileError::BudgetWithoutScope);
        }
        let orphans = [
            ("window_ms", self.window_ms.is_some()),
            ("fixed, sliding or bucket", self.window.is_some()),
            ("burst", self.burst.is_some()),
        ];
        match orphans.into_iter().find(|(_, set)| *set) {
            Some((word, _)) => Err(ProfileError::Orphan {
                word,
                needs: "rate",
            }),
            None => Ok(()),
        }
    }

    fn validate_rate(&self) -> Result<(), ProfileError> {
        let windowed = self.window_ms.is_some();
        if self.window.is_some() && !windowed {
            return Err(ProfileError::Orphan {
                word: "fixed, sliding or bucket",
                needs: "window_ms",
            });
        }
        if self.burst.is_some() && self.window != Some(super::Window::Bucket) {
            return Err(ProfileError::Orphan {
                word: "burst",
                needs: "bucket",
            });
        }
        Ok(())
    }

    fn validate_ranges(&self) -> Result<(), ProfileError> {
        for &(word, value, least, most, why) in RANGES {
            match value(self) {
                Some(value) if value < least || value > most => {
                    return Err(ProfileError::OutOfRange { word, value, why });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn validate_samples(&self) -> Result<(), ProfileError> {
        for sample in &self.allow {
            if self.refuse.contains(sample) {
                let request = sample.request().to_string();
                return Err(ProfileError::AllowedAndRefused { request });
            }
            if self.declared_endpoints().next().is_some() && !self.declares(sample) {
                let request = sample.request().to_string();
                return Err(ProfileError::AllowedOutsideEndpoints { request });
            }
        }
        Ok(())
    }

    fn declares(&self, sample: &Sample) -> bool {
        Url::parse(&sample.request().path).is_ok_and(|url| {
            self.declared_endpoints()
                .any(|endpoint| endpoint.contains(&url))
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn profile() -> PolicyProfile {
        PolicyProfile::new()
    }

    #[rstest]
    #[case::nothing(profile(), "promises nothing")]
    #[case::only_a_kind(profile().stateless(), "promises nothing")]
    #[case::no_kind(profile().allow(["https://a.test/"]), "has no kind")]
    #[case::limit_without_memory(profile().stateless().requests(3), "`requests` contradicts `stateless`")]
    #[case::budget_of_nothing(profile().budget().per_call(), "needs a limit")]
    #[case::budget_of_whom(profile().budget().requests(3), "needs a scope")]
    #[case::rate_of_nothing(profile().rate(), "needs `requests = N`")]
    #[case::burst_of_a_window(profile().rate().requests(3).window_ms(5).fixed().burst(2), "`burst` needs `bucket`")]
    #[case::windowed_budget(profile().budget().global().requests(3).window_ms(5), "`window_ms` needs `rate`")]
    #[case::nothing(profile().budget().global().requests(0), "`requests = 0` is out of range: between 1 and")]
    #[case::no_bytes(profile().budget().global().bytes(0), "`bytes = 0` is out of range: between 1 and")]
    #[case::no_burst(profile().rate().requests(3).window_ms(5).bucket().burst(0), "`burst = 0` is out of range")]
    #[case::too_large(profile().budget().global().requests(u64::MAX), "out of range")]
    #[case::no_url(profile().stateless().allow(["/v1/items"]), "the sample `/v1/items` is no request")]
    #[case::no_endpoint(profile().stateless().endpoints(["items"]), "the endpoint `items` cannot be read")]
    #[case::both(profile().stateless().allow(["https://a.test/"]).refuse(["https://a.test/"]), "both allowed and refused")]
    #[case::outside(
        profile().stateless().allow(["https://b.test/"]).endpoints(["https://a.test/"]),
        "outside the declared endpoints"
    )]
    fn a_profile_that_cannot_be_judged_says_why(
        #[case] profile: PolicyProfile,
        #[case] expected: &str,
    ) {
        let error = profile.validate().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[rstest]
    #[case(profile().budget().per_call().requests(3))]
    #[case(profile().rate().requests(3))]
    #[case(profile().stateless().refuse(["https://a.test/"]))]
    #[case(profile().stateless().allow(["https://a.test/v1/x"]).prefixes(["https://a.test/v1"]))]
    fn a_profile_that_promises_something_is_judged(#[case] profile: PolicyProfile) {
        assert_eq!(profile.validate(), Ok(()));
    }

    #[test]
    fn an_unknown_entry_of_a_file_is_named() {
        let error = PolicyProfile::from_toml("kind = \"budget\"\nrequest = 3\n").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("unknown field `request`") && text.contains("line 2"),
            "{text}"
        );
    }
}
