//! Desks that break a promise with some calls alone: the second, a POST, one of many, one that is
//! repeated.

use proofmark_conformance::profile::SurfaceProfile;

use super::flaw::Flaw;
use super::specimens::{both, desk, limited, plain, sur, with_token};
use crate::Specimen;

/// Every one that must be convicted.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_views();
    specimens.extend(of_calls());
    specimens.extend(of_limits());
    specimens.extend(of_arguments());
    specimens
}

fn of_views() -> Vec<Specimen> {
    vec![
        plain(
            sur(1),
            "shows the template of a POST's path",
            "surface_with_templates_of_posts",
            Flaw::ShowsTemplatesOfPosts,
        )
        .also(
            sur(2),
            "the path that is sent is not the one that was shown",
        ),
        plain(
            sur(2),
            "shows a path without its author's query",
            "surface_that_hides_queries",
            Flaw::HidesTheAuthorsQuery,
        ),
        Specimen::new(
            sur(2),
            "leaves the pairs out of a repetition",
            desk(
                "surface_that_repeats_less",
                both().retries(),
                Flaw::RepeatsWithoutPairs,
            ),
        ),
        plain(
            sur(3),
            "names the tool with its first request alone",
            "surface_that_forgets_names",
            Flaw::NamesFirstRequestsOnly,
        ),
    ]
}

fn of_calls() -> Vec<Specimen> {
    vec![
        plain(
            sur(4),
            "sends the call id of a POST",
            "surface_that_sends_ids_of_posts",
            Flaw::SendsTheIdOfPosts,
        ),
        plain(
            sur(4),
            "begins its ids anew after five hundred",
            "surface_with_a_wheel",
            Flaw::TurnsAWheel,
        ),
        plain(
            sur(4),
            "numbers the calls of each surface by themselves",
            "surface_with_its_own_counter",
            Flaw::CountsItsOwnCalls,
        )
        .also(sur(13), "in every process the numbers begin with one"),
        plain(
            sur(5),
            "asks once for each target, and remembers the answer",
            "surface_that_remembers_answers",
            Flaw::RemembersAnswers,
        ),
        plain(
            sur(5),
            "asks the policy once it has sent",
            "surface_that_asks_too_late",
            Flaw::AsksOnceItHasSent,
        ),
        plain(
            sur(11),
            "answers what the policy refused",
            "surface_that_ignores_policies",
            Flaw::IgnoresThePolicy,
        ),
    ]
}

fn of_limits() -> Vec<Specimen> {
    let limit = |fault, name: &str, flaw| Specimen::new(sur(8), fault, desk(name, limited(), flaw));
    vec![
        limit(
            "counts the letters of an answer",
            "surface_that_counts_letters",
            Flaw::CountsLetters,
        ),
        limit(
            "looks at the clock between calls alone",
            "surface_that_looks_between_calls",
            Flaw::LooksAtTheClockBetweenCalls,
        ),
    ]
}

fn of_arguments() -> Vec<Specimen> {
    let validated = SurfaceProfile::new().curated().argument_validator();
    let headed = with_token().header_parameters();
    vec![
        Specimen::new(
            sur(7),
            "asks the validator about its first call alone",
            desk(
                "surface_that_validates_once",
                validated,
                Flaw::ValidatesOnce,
            ),
        ),
        plain(
            sur(11),
            "quotes the arguments where one is no scalar",
            "surface_that_quotes_objects",
            Flaw::QuotesWhatIsNoScalar,
        ),
        plain(
            sur(12),
            "sends undeclared arguments as pairs",
            "surface_with_undeclared_pairs",
            Flaw::SendsUndeclaredPairs,
        ),
        Specimen::new(
            sur(12),
            "lets a tool declare a header that is spelled with underscores",
            desk("surface_of_hyphens", headed, Flaw::KnowsNoUnderscores),
        ),
    ]
}
