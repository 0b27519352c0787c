//! The desks that must be convicted, each of what its flaw breaks, and those that must not.

use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::profile::SurfaceProfile;
use proofmark_conformance::subject::SurfaceSubject;

use super::desk::{AtDesk, CALLS, ITERATIONS, RESPONSE_BYTES, SCRIPT_MS};
use super::flaw::Flaw;
use crate::{LookAlike, Specimen};

pub(super) const fn sur(number: u8) -> RequirementId {
    RequirementId::new(Family::Sur, number)
}

const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

/// Both forms, and no credential: rows about one would only take their time.
pub(super) fn both() -> SurfaceProfile {
    SurfaceProfile::new().curated().scripted()
}

pub(super) fn with_token() -> SurfaceProfile {
    both().bearer()
}

pub(super) fn desk(name: &str, profile: SurfaceProfile, flaw: Flaw) -> SurfaceSubject {
    let limited = profile.response_bytes.is_some();
    SurfaceSubject::new(name, profile, move |env| AtDesk::new(env, flaw, limited))
}

pub(super) fn plain(id: RequirementId, fault: &'static str, name: &str, flaw: Flaw) -> Specimen {
    Specimen::new(id, fault, desk(name, both(), flaw))
}

/// Every broken surface.
pub(crate) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_views();
    specimens.extend(of_sending());
    specimens.extend(of_names());
    specimens.extend(of_ids());
    specimens.extend(of_questions());
    specimens.extend(of_limits());
    specimens.extend(of_sharing());
    specimens.extend(of_reports());
    specimens.extend(of_headers());
    specimens.extend(of_credentials());
    specimens.extend(super::seldom::specimens());
    specimens
}

fn of_views() -> Vec<Specimen> {
    vec![
        plain(
            sur(1),
            "shows the template of a tool's path",
            "surface_with_templates",
            Flaw::ShowsTemplate,
        )
        .also(
            sur(2),
            "the path that is sent is not the one that was shown",
        ),
        plain(
            sur(1),
            "shows the path without the base URL",
            "surface_without_base",
            Flaw::ShowsBareTarget,
        ),
        plain(
            sur(15),
            "shows a GET's fields as a body",
            "surface_with_a_body_on_get",
            Flaw::ShowsBodyOfGets,
        )
        .also(
            sur(2),
            "the body that was shown is not sent, and the pairs were not shown",
        ),
        plain(
            sur(15),
            "shows an empty body beside a GET's pairs",
            "surface_with_an_empty_body_on_get",
            Flaw::ShowsEmptyBodyOfGets,
        )
        .also(sur(2), "the body that was shown is not sent"),
        plain(
            sur(15),
            "lets a GET be declared with a body, shows it and sends it",
            "surface_that_carries_bodies_of_gets",
            Flaw::CarriesBodiesOfGets,
        ),
    ]
}

fn of_sending() -> Vec<Specimen> {
    vec![
        plain(
            sur(2),
            "adds a pair to what has a body, once it was allowed",
            "surface_with_a_default_pair",
            Flaw::AddsAPair,
        ),
        plain(
            sur(2),
            "adds a member to the body once it was allowed",
            "surface_that_rebuilds_bodies",
            Flaw::RebuildsTheBody,
        ),
        plain(
            sur(2),
            "sorts the pairs once they were allowed",
            "surface_that_sorts_pairs",
            Flaw::SortsPairs,
        ),
        plain(
            sur(2),
            "drops the spaces at the end of a target once it was allowed",
            "surface_that_trims_targets",
            Flaw::TrimsTargets,
        ),
    ]
}

fn of_names() -> Vec<Specimen> {
    vec![
        plain(
            sur(3),
            "shows every request under one name",
            "surface_with_one_name",
            Flaw::NamesOneTool,
        ),
        plain(
            sur(3),
            "shows a script tool as `execute_code`",
            "surface_with_nameless_scripts",
            Flaw::NamesScriptToolsAlike,
        ),
        plain(
            sur(3),
            "keeps the tool's name where the next call writes it",
            "surface_with_a_shared_name",
            Flaw::SharesTheToolsName,
        ),
    ]
}

fn of_ids() -> Vec<Specimen> {
    vec![
        plain(
            sur(4),
            "makes the call id from the message's id",
            "surface_with_client_ids",
            Flaw::TakesTheMessagesId,
        ),
        plain(
            sur(4),
            "makes the call id from the arguments",
            "surface_with_hashed_ids",
            Flaw::HashesTheArguments,
        ),
        plain(
            sur(4),
            "makes an id for each request",
            "surface_with_request_ids",
            Flaw::MintsForEachRequest,
        ),
        plain(
            sur(4),
            "sends the call id in a header",
            "surface_that_sends_ids",
            Flaw::SendsTheId,
        ),
        plain(
            sur(13),
            "numbers its calls",
            "surface_with_a_counter",
            Flaw::CountsCalls,
        ),
        plain(
            sur(13),
            "makes ids with a generator of a fixed seed",
            "surface_with_a_fixed_seed",
            Flaw::SeedsItsGenerator,
        ),
    ]
}

fn of_questions() -> Vec<Specimen> {
    let validated = || {
        SurfaceProfile::new()
            .curated()
            .argument_validator()
            .optional_schema()
    };
    let validator =
        |fault, name: &str, flaw| Specimen::new(sur(7), fault, desk(name, validated(), flaw));
    vec![
        plain(
            sur(5),
            "asks the policy in two places",
            "surface_that_asks_twice",
            Flaw::AsksTwice,
        ),
        Specimen::new(
            sur(5),
            "asks the policy before each attempt",
            desk(
                "surface_that_asks_again",
                both().retries(),
                Flaw::AsksForEachAttempt,
            ),
        ),
        validator(
            "asks the validator before the schema",
            "surface_that_validates_first",
            Flaw::ValidatesFirst,
        ),
        validator(
            "switches the validator off with the schema check",
            "surface_that_validates_sometimes",
            Flaw::ValidatesWithTheSchema,
        ),
        validator(
            "asks one tool's validator about every tool",
            "surface_that_validates_all",
            Flaw::ValidatesEveryTool,
        ),
        validator(
            "sends what the validator refused",
            "surface_that_ignores_validators",
            Flaw::IgnoresTheValidator,
        ),
    ]
}

pub(super) fn limited() -> SurfaceProfile {
    both()
        .calls_per_script(CALLS)
        .loop_iterations(ITERATIONS)
        .response_bytes(RESPONSE_BYTES)
        .script_ms(SCRIPT_MS)
}

fn of_limits() -> Vec<Specimen> {
    let limit = |fault, name: &str, flaw| Specimen::new(sur(8), fault, desk(name, limited(), flaw));
    vec![
        limit(
            "does not count calls",
            "surface_without_a_call_limit",
            Flaw::NoCallLimit,
        ),
        limit(
            "does not count iterations",
            "surface_without_an_iteration_limit",
            Flaw::NoIterationLimit,
        ),
        limit(
            "reads answers of any size",
            "surface_without_a_response_limit",
            Flaw::NoResponseLimit,
        ),
        limit(
            "limits the time of a request, and not of a script",
            "surface_without_a_time_limit",
            Flaw::NoTimeLimit,
        ),
    ]
}

fn of_sharing() -> Vec<Specimen> {
    vec![
        plain(
            sur(10),
            "keeps the call id where the next call writes it",
            "surface_with_a_shared_id",
            Flaw::SharesTheId,
        )
        .also(
            sur(4),
            "calls that are made at the same time do not have ids of their own",
        ),
        plain(
            sur(10),
            "keeps variables from one script to the next",
            "surface_with_shared_variables",
            Flaw::SharesVariables,
        ),
        plain(
            sur(10),
            "keeps arguments in one buffer",
            "surface_with_shared_arguments",
            Flaw::SharesArguments,
        ),
    ]
}

fn of_reports() -> Vec<Specimen> {
    vec![
        plain(
            sur(11),
            "reports a refusal as a fault",
            "surface_of_faults",
            Flaw::ReportsFaultsOnly,
        ),
        plain(
            sur(11),
            "reports what is refused of its own scripts as a fault",
            "surface_of_faulty_scripts",
            Flaw::ReportsFaultsOfScripts,
        ),
        plain(
            sur(11),
            "reports a fault as a refusal",
            "surface_of_refusals",
            Flaw::ReportsRefusalsOnly,
        ),
        plain(
            sur(11),
            "quotes the arguments in a refusal",
            "surface_that_quotes",
            Flaw::QuotesArguments,
        ),
    ]
}

fn of_headers() -> Vec<Specimen> {
    let headed = || SurfaceProfile::new().curated().bearer().header_parameters();
    let header =
        |fault, name: &str, flaw| Specimen::new(sur(12), fault, desk(name, headed(), flaw));
    vec![
        header(
            "lets a tool declare any header",
            "surface_with_any_header",
            Flaw::TakesAnyHeader,
        ),
        header(
            "sends undeclared arguments as headers",
            "surface_with_undeclared_headers",
            Flaw::SendsUndeclaredHeaders,
        ),
        header(
            "writes line breaks into the head",
            "surface_with_split_headers",
            Flaw::SplitsHeaders,
        ),
    ]
}

fn of_credentials() -> Vec<Specimen> {
    let previews = with_token().validates_scripts().query_key("api_key");
    vec![
        Specimen::new(
            cred(1),
            "derives the call id from its credential",
            desk(
                "surface_that_shows_its_token",
                with_token(),
                Flaw::ShowsTheCredential,
            ),
        ),
        Specimen::new(
            cred(3),
            "shows its key in previews",
            desk(
                "surface_that_previews_its_key",
                previews,
                Flaw::ShowsTheKeyInPreviews,
            ),
        ),
        Specimen::new(
            cred(11),
            "lets a tool declare the header of its key",
            desk(
                "surface_with_two_keys",
                SurfaceProfile::new()
                    .curated()
                    .header_parameters()
                    .header_key("x-key"),
                Flaw::TakesTheKeysHeader,
            ),
        ),
        Specimen::new(
            cred(4),
            "traces its credential",
            desk(
                "surface_that_traces",
                with_token(),
                Flaw::TracesTheCredential,
            ),
        ),
    ]
}

/// Every conforming surface that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    vec![
        LookAlike::new(
            "sends `+` for a space in a query, and has every limit",
            desk(
                "surface_that_is_plain",
                limited()
                    .bearer()
                    .validates_scripts()
                    .argument_validator()
                    .optional_schema()
                    .query_key("api_key"),
                Flaw::None,
            ),
        ),
        LookAlike::new(
            "repeats a GET twice, and sends a space in a query as `%20`",
            desk(
                "surface_that_repeats_gets",
                with_token().retries(),
                Flaw::RepeatsGets,
            ),
        ),
        LookAlike::new(
            "takes reserved headers for parameters, and does not send them",
            desk(
                "surface_that_drops_headers",
                with_token().header_parameters(),
                Flaw::DropsReservedHeaders,
            ),
        ),
        LookAlike::new(
            "has one sentence for all refusals, and one for all faults",
            desk(
                "surface_with_one_sentence",
                both().argument_validator(),
                Flaw::HasOneSentence,
            ),
        ),
        LookAlike::new(
            "has no credential, and scripts alone",
            desk(
                "surface_without_anything",
                SurfaceProfile::new().scripted(),
                Flaw::None,
            ),
        ),
    ]
}
