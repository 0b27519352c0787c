//! Each fault of the gatekeeper as a specimen, with what must convict it.

use super::{Fault, allowing, exact, full, subject, whole_host};
use crate::Specimen;
use crate::policy::pol;

pub(in crate::policy) fn specimens() -> Vec<Specimen> {
    let mut specimens = crashes();
    specimens.extend(verdicts());
    specimens.extend(messages());
    specimens.extend(matching());
    specimens.extend(neighbours());
    specimens.extend(identities());
    specimens
}

fn crashes() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(1),
            "cuts the path at a byte offset for its log line",
            subject("panics_on_multibyte_path", full(), Fault::SlicesBytes),
        ),
        Specimen::new(
            pol(1),
            "walks the body by recursion with a large frame",
            subject("overflows_on_nested_body", full(), Fault::RecursesIntoBody),
        ),
        Specimen::new(
            pol(1),
            "takes every `limit` for a number",
            subject("panics_on_odd_number", full(), Fault::UnwrapsNumber),
        ),
        Specimen::new(
            pol(9),
            "reads its rules from a slow disk when it is first asked",
            subject(
                "blocks_on_first_use",
                allowing().block_ms(20),
                Fault::LoadsRulesOnFirstUse,
            ),
        ),
    ]
}

fn verdicts() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(2),
            "refuses every seventh request that its rules allow",
            subject("refuses_every_seventh", full(), Fault::RefusesEverySeventh),
        ),
        Specimen::new(
            pol(2),
            "refuses a request to the endpoint it last allowed, when the method differs",
            subject(
                "remembers_the_last_request",
                full(),
                Fault::RemembersLastPath,
            ),
        ),
        Specimen::new(
            pol(3),
            "does not look at previews",
            subject("previews_pass_unseen", full(), Fault::LetsPreviewsPass),
        )
        .also(
            pol(11),
            "a declared refused sample must be refused as a preview, too",
        ),
        Specimen::new(
            pol(3),
            "looks only at the host of a preview",
            subject(
                "previews_checked_by_host",
                allowing(),
                Fault::PreviewsOnlyHosts,
            ),
        ),
        Specimen::new(
            pol(4),
            "looks for the refused pair in `query` only",
            subject("reads_query_only", full(), Fault::ReadsQueryOnly),
        ),
        Specimen::new(
            pol(4),
            "looks for the refused pair in the path as plain text",
            subject(
                "reads_path_pairs_undecoded",
                full(),
                Fault::ReadsPathPairsUndecoded,
            ),
        ),
        Specimen::new(
            pol(11),
            "refuses one of the endpoints it is declared to allow",
            subject("forgets_an_endpoint", full(), Fault::ForgetsSearch),
        ),
    ]
}

fn neighbours() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(13),
            "looks for the refused pair at the first place of `query` only",
            subject("reads_the_first_pair", full(), Fault::ReadsFirstPair),
        )
        .also(
            pol(16),
            "a refused pair must be found wherever it stands among harmless ones",
        ),
        Specimen::new(
            pol(13),
            "refuses pairs that are not in alphabetical order",
            subject("wants_pairs_sorted", full(), Fault::WantsPairsSorted),
        ),
        Specimen::new(
            pol(15),
            "refuses everything after eight refusals",
            subject("locks_everybody_out", full(), Fault::LocksOut),
        )
        .also(
            pol(2),
            "the lock-out changes the verdict on a request that was allowed before",
        ),
    ]
}

fn identities() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(8),
            "refuses calls whose id begins with a digit",
            subject("distrusts_some_call_ids", full(), Fault::DistrustsDigits),
        ),
        Specimen::new(
            pol(6),
            "takes an empty tool name for the beginning of a listed one",
            subject("lets_nameless_tools_pass", full(), Fault::NamelessPasses),
        ),
        Specimen::new(
            pol(20),
            "refuses the listed methods as they are written and allows every other",
            subject(
                "compares_methods_as_written",
                full(),
                Fault::RefusesListedMethods,
            ),
        ),
    ]
}

fn messages() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(5),
            "repeats the path it refuses",
            subject("echoes_the_path", full(), Fault::EchoesPath),
        ),
        Specimen::new(
            pol(5),
            "names the refusal after a hash of the query",
            subject(
                "echoes_a_hash_of_the_query",
                full(),
                Fault::EchoesHashOfQuery,
            ),
        ),
        Specimen::new(
            pol(5),
            "repeats the call id in hexadecimal",
            subject("echoes_the_call_in_hex", full(), Fault::EchoesCallInHex),
        ),
        Specimen::new(
            pol(21),
            "names the tool it refuses",
            subject("echoes_the_tool", full(), Fault::EchoesTool),
        ),
    ]
}

fn matching() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(12),
            "matches the allowed URL as a prefix of the text, without its slash",
            subject(
                "matches_text_prefix",
                whole_host(),
                Fault::MatchesTextPrefix,
            ),
        ),
        Specimen::new(
            pol(12),
            "matches the last segment by its beginning",
            subject("matches_sibling_segments", exact(), Fault::MatchesSiblings),
        ),
        Specimen::new(
            pol(12),
            "compares the host and the port, not the scheme",
            subject("ignores_the_scheme", exact(), Fault::IgnoresScheme),
        ),
        Specimen::new(
            pol(12),
            "decodes encoded slashes before it splits the path",
            subject("decodes_slashes_first", exact(), Fault::DecodesSlashes),
        ),
        Specimen::new(
            pol(19),
            "takes an escaped percent sign for an ordinary character",
            subject("keeps_double_escapes", exact(), Fault::KeepsDoubleEscapes),
        ),
        Specimen::new(
            pol(19),
            "takes a semicolon for an ordinary character",
            subject("keeps_parameters", exact(), Fault::KeepsParameters),
        ),
    ]
}
