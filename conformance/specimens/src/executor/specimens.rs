//! The couriers that must be convicted, each of what its flaw breaks, and those that must not.

use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::profile::ExecutorProfile;
use proofmark_conformance::subject::{Described, ExecutorEnv, ExecutorSubject};

use super::courier::Courier;
use super::flaw::Flaw;
use crate::{LookAlike, Specimen};

pub(super) const fn exe(number: u8) -> RequirementId {
    RequirementId::new(Family::Exe, number)
}

pub(super) const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

pub(super) fn bearer() -> ExecutorProfile {
    ExecutorProfile::new().bearer().policy()
}

fn courier(name: &str, profile: ExecutorProfile, flaw: Flaw) -> ExecutorSubject {
    let make = move |env: &ExecutorEnv| Described::new(Courier::new(env, flaw));
    ExecutorSubject::new(name, profile, make)
}

/// Every broken executor.
pub(crate) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_targets();
    specimens.extend(of_fields());
    specimens.extend(of_answers());
    specimens.extend(of_policies());
    specimens.extend(of_credentials());
    specimens.extend(of_further_credentials());
    specimens.extend(super::quirky::specimens());
    specimens
}

fn of_targets() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    vec![
        plain(
            exe(1),
            "loses the base URL's path",
            "executor_without_prefix",
            Flaw::LosesPrefix,
        ),
        plain(
            exe(2),
            "fills `:id` from the body",
            "executor_that_fills_colons",
            Flaw::ResolvesColons,
        ),
        plain(
            exe(3),
            "decodes the path before it is sent",
            "executor_that_decodes",
            Flaw::DecodesTarget,
        ),
    ]
}

fn of_fields() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    vec![
        plain(
            exe(4),
            "sends a GET's fields as a body, too",
            "executor_with_a_body_on_get",
            Flaw::BodyOnGet,
        ),
        plain(
            exe(5),
            "adds pairs behind a second `?`",
            "executor_with_two_marks",
            Flaw::SecondMark,
        ),
        plain(
            exe(6),
            "does not encode pairs",
            "executor_with_raw_pairs",
            Flaw::RawPairs,
        ),
        plain(
            exe(7),
            "sends an object as its text",
            "executor_that_flattens",
            Flaw::FlattensObjects,
        )
        .also(
            exe(4),
            "an object within the body of a POST is sent as its text, too",
        ),
        plain(
            exe(8),
            "sends the method as it is handed over",
            "executor_of_any_case",
            Flaw::MethodAsGiven,
        ),
        plain(
            exe(8),
            "upper-cases beyond ASCII",
            "executor_with_unicode_methods",
            Flaw::FoldsUnicodeMethods,
        ),
        plain(
            exe(17),
            "names the last target in the next request",
            "executor_with_referer",
            Flaw::TellsTheLastTarget,
        ),
        plain(
            exe(20),
            "drops a body that is no object",
            "executor_that_drops_lists",
            Flaw::DropsOtherBodies,
        )
        .also(exe(4), "a list that is the body of a POST is dropped, too"),
    ]
}

fn of_answers() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    vec![
        plain(
            exe(9),
            "has no deadline",
            "executor_without_deadline",
            Flaw::NoDeadline,
        ),
        plain(
            exe(9),
            "takes an error's body for a value",
            "executor_without_status",
            Flaw::TakesErrorsForValues,
        ),
        plain(
            exe(9),
            "panics at bytes that are no text",
            "executor_that_panics",
            Flaw::PanicsOnBytes,
        ),
        plain(
            exe(10),
            "follows redirects",
            "executor_that_follows",
            Flaw::FollowsRedirects,
        ),
        plain(
            exe(11),
            "quotes the target in its errors",
            "executor_that_quotes",
            Flaw::QuotesTarget,
        ),
        plain(
            exe(12),
            "keeps answers in one slot",
            "executor_with_one_slot",
            Flaw::SharesItsAnswer,
        ),
        Specimen::new(
            exe(14),
            "repeats every method",
            courier(
                "executor_that_repeats_posts",
                bearer().retries(),
                Flaw::RepeatsEverything,
            ),
        ),
        plain(
            exe(16),
            "uses the environment's proxy",
            "executor_by_proxy",
            Flaw::TrustsTheEnvironment,
        ),
    ]
}

fn of_policies() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    let fetched = ExecutorProfile::new().token_endpoint().policy();
    vec![
        plain(
            exe(13),
            "asks the policy once it has sent",
            "executor_that_asks_too_late",
            Flaw::AsksTooLate,
        )
        .also(
            exe(15),
            "the request is out before the call is dropped while its policy is pending",
        )
        .also(
            exe(19),
            "the request is out whether or not the policy ever answers",
        ),
        Specimen::new(
            exe(13),
            "fetches its token before it asks the policy",
            courier(
                "executor_that_authenticates_first",
                fetched,
                Flaw::AuthenticatesFirst,
            ),
        ),
        plain(
            exe(15),
            "sends from a task that nobody aborts",
            "executor_that_spawns",
            Flaw::SpawnsItsCalls,
        )
        .also(
            exe(19),
            "the task sends when a policy answers after the caller gave up",
        ),
        plain(
            exe(19),
            "sends when the policy takes too long",
            "executor_without_patience",
            Flaw::SendsWithoutAnAnswer,
        ),
    ]
}

fn of_credentials() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    vec![
        plain(
            exe(18),
            "writes the credential into the head as it is",
            "executor_with_cut_headers",
            Flaw::CutsHeaders,
        ),
        plain(
            exe(21),
            "sends its credential to any host in clear",
            "executor_in_clear",
            Flaw::CleartextAnywhere,
        ),
        plain(
            cred(1),
            "derives the call id from its credential",
            "executor_that_shows_its_token",
            Flaw::ShowsTheCredential,
        ),
        Specimen::new(
            cred(2),
            "shows the policy the pair that holds its key",
            courier(
                "executor_that_shows_its_key",
                bearer().query_key("api_key"),
                Flaw::ShowsTheKeyPair,
            ),
        ),
    ]
}

fn of_further_credentials() -> Vec<Specimen> {
    let plain = |id, fault, name, flaw| Specimen::new(id, fault, courier(name, bearer(), flaw));
    let key = ExecutorProfile::new().query_key("api_key").policy();
    let fetched = ExecutorProfile::new().token_endpoint().policy();
    vec![
        plain(
            cred(4),
            "traces its credential",
            "executor_that_traces",
            Flaw::TracesTheCredential,
        ),
        plain(
            cred(4),
            "prints its credential as bytes in its `Debug`",
            "executor_that_prints_its_token",
            Flaw::PrintsTheCredential,
        ),
        plain(
            cred(7),
            "passes on what the backend echoes",
            "executor_with_echoes",
            Flaw::PassesEchoesOn,
        ),
        plain(
            cred(10),
            "shows user and password of the base URL",
            "executor_with_user_info",
            Flaw::KeepsUserInfo,
        ),
        Specimen::new(
            cred(11),
            "adds its key beside the caller's",
            courier("executor_with_two_keys", key, Flaw::AddsASecondKey),
        ),
        Specimen::new(
            cred(12),
            "follows redirects of the token endpoint",
            courier(
                "executor_that_follows_for_tokens",
                fetched,
                Flaw::FollowsTokenRedirects,
            ),
        ),
    ]
}

/// Every conforming executor that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    let keys = ExecutorProfile::new()
        .policy()
        .bearer()
        .query_key("api_key")
        .header_key("x-key");
    let mut look_alikes = super::quirky::look_alikes();
    look_alikes.extend([
        LookAlike::new(
            "makes a connection for each request, reads no answer beyond 8 MiB, and sends a space as `+` in a query and as `%20` in a path",
            courier("executor_that_is_plain", keys, Flaw::None),
        ),
        LookAlike::new(
            "repeats a GET twice, and sends a space in a query as `%20`",
            courier(
                "executor_that_repeats_gets",
                bearer().retries(),
                Flaw::RepeatsGets,
            ),
        ),
        LookAlike::new(
            "refuses whatever it would have to encode in a path, lists, and fields without a value",
            courier(
                "executor_that_refuses_oddities",
                bearer(),
                Flaw::RefusesOddities,
            ),
        ),
        LookAlike::new(
            "sends the pairs of an object in an order of its own",
            courier(
                "executor_that_orders_keys",
                ExecutorProfile::new().policy(),
                Flaw::OrdersKeysAnew,
            ),
        ),
        LookAlike::new(
            "says one and the same sentence whatever went wrong",
            courier("executor_of_one_sentence", bearer(), Flaw::SaysOneSentence),
        ),
        LookAlike::new(
            "has no credential and asks no policy",
            courier(
                "executor_without_anything",
                ExecutorProfile::new(),
                Flaw::None,
            ),
        ),
    ]);
    look_alikes
}
