//! What a profile lets the judge look at, as the words that catalogue rows need.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! capabilities {
    ($($variant:ident $word:literal, $absent:literal;)*) => {
        /// One fact that a row may need. Rows whose needs a profile does not meet are not
        /// applicable, never failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the word and the sentence beside each variant say it")]
        #[non_exhaustive]
        pub enum Capability { $($variant,)* }

        impl Capability {
            /// Every capability, in the order of the profile's documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word by which catalogue rows name the capability.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The capability of this word.
            #[must_use]
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.word() == word)
            }

            /// Why a row that needs the capability does not apply without it.
            #[must_use]
            pub const fn absence(self) -> &'static str {
                match self { $(Self::$variant => $absent,)* }
            }
        }
    };
}

capabilities! {
    Stateless "stateless", "the profile does not declare the policy stateless";
    Budget "budget", "the profile declares no budget and no rate";
    FixedBudget "fixed_budget", "the profile declares no budget other than a rate";
    Requests "requests", "the profile declares no request budget";
    Bytes "bytes", "the profile declares no byte budget";
    DistinctEndpoints "distinct_endpoints", "the profile declares no budget of distinct endpoints";
    Rate "rate", "the profile declares no rate";
    PerCall "per_call", "the profile declares no budget per call";
    CallScope "call_scope", "the profile declares no budget that is kept by call";
    ToolAndCall "tool_and_call", "the profile declares no budget per tool and call";
    IndependentCalls "independent_calls", "the profile is neither stateless nor keeps its budget by call";
    Samples "samples", "the profile declares no allowed and no refused sample";
    Refusal "refusal", "the profile declares nothing that is refused";
    RefusePairs "refuse_pairs", "the profile declares no refused pairs";
    RefusedParts "refused_parts", "the profile declares no refused pair, segment or body key";
    RefuseMethods "refuse_methods", "the profile declares no refused method";
    Endpoints "endpoints", "the profile declares no endpoints";
    RefusedEndpoints "refused_endpoints", "the profile declares no refused endpoint";
    AnyEndpoints "any_endpoints", "the profile declares neither endpoints nor refused ones";
    Prefixes "prefixes", "the profile declares no prefixes";
    Tools "tools", "the profile declares no tools";
    Pends "pends", "the profile does not say that checks wait";
    Bounded "bounded", "the profile declares no bound on remembered calls";
    Combinator "combinator", "the profile does not declare a combinator";
    TakesLimit "takes_limit", "the factory does not take the limit";
    TakesClock "takes_clock", "the factory does not take a clock";
    Credential "credential", "the profile declares no credential";
    AuthSchemes "auth_schemes", "the profile declares no scheme other than a bearer token";
    HeaderCredential "header_credential", "the profile declares no credential that travels in a header";
    NamedCredential "named_credential", "the profile declares no credential under a name of its own";
    TokenEndpoint "token_endpoint", "the profile declares no token endpoint";
    AsksPolicy "policy", "the profile does not say that a policy is asked";
    Retries "retries", "the profile does not say that requests are repeated";
    Scripts "scripts", "the profile does not say that scripts are validated";
    ArgumentValidator "argument_validator", "the profile does not say that validators are asked";
    Limits "limits", "the profile declares no limit of a script or an answer";
    CheckExec "check_exec", "the profile does not say that the leash answers `check_exec`";
    CheckNet "check_net", "the profile does not say that the leash answers `check_net`";
    CheckPath "check_path", "the profile does not say that the leash answers `check_path_read` and `check_path_write`";
    MediatedOpens "mediated_opens", "the profile does not say that the leash opens files itself";
    Spawn "spawn", "the profile does not say that the leash runs programs";
    Generation "generation", "the profile does not say that a gate stands for a generation";
    CallBudget "call_budget", "the profile does not say that a gate has a budget of calls";
    Meet "meet", "the profile does not say that the leash gives the meet of two authorities";
    Leq "leq", "the profile does not say that the leash compares two authorities";
    FenceStrength "fence_strength", "the profile does not say that the leash tells how strong a fence is";
    Serialised "serialised", "the profile does not say that the leash writes authority as text";
    Resolve "resolve", "the profile does not say that whole templates are resolved";
    PlaceholderRules "placeholder_rules", "the profile does not say that rules are looked up";
    Query "query", "the profile does not say that a template may have a query";
    Interpolation "interpolation", "the profile does not say that variables are interpolated";
    Pattern "pattern", "the profile does not say that patterns can be declared";
    MaxLength "max_length", "the profile does not say that lengths can be declared";
    AllowSlash "allow_slash", "the profile does not say that a slash can be allowed";
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for Capability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::named(&word)
            .ok_or_else(|| D::Error::custom(format!("no capability is called `{word}`")))
    }
}

/// The capabilities that one subject offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capabilities(BTreeSet<Capability>);

impl Capabilities {
    /// Whether `capability` is offered.
    #[must_use]
    pub fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// The first of `words` that is not offered, as the reason why a row does not apply. A word
    /// that names no capability is never offered.
    #[must_use]
    pub fn missing(&self, words: &[String]) -> Option<String> {
        words.iter().find_map(|word| match Capability::named(word) {
            Some(known) if self.has(known) => None,
            Some(known) => Some(known.absence().to_owned()),
            None => Some(format!("no seam of this subject offers `{word}`")),
        })
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl Extend<Capability> for Capabilities {
    fn extend<I: IntoIterator<Item = Capability>>(&mut self, iter: I) {
        self.0.extend(iter);
    }
}
