//! The row table of `conformance!`, generated from the catalogue by
//! `PROOFMARK_BLESS=1 cargo test -p proofmark-conformance row_table`; not to be edited.

/// Turns an entry's words into what they let the judge look at, and hands that on.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_caps {
    ($then:ident [$kind:ident] [$($caps:ident)*]) => {
        $crate::$then! { [$($caps)*] }
    };
    // A rate's `requests` say how many come back, not how many there are in all.
    ($then:ident [rate] [$($caps:ident)*] requests $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [rate] [$($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] stateless $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [stateless] [stateless independent_calls $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] budget $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [budget] [budget fixed_budget refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] rate $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [rate] [budget rate refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] requests $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [requests $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] bytes $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [bytes $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] distinct_endpoints $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [distinct_endpoints $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] per_call $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [per_call call_scope independent_calls $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] per_tool_and_call $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [tool_and_call call_scope independent_calls $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] allow $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [samples $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] refuse $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [samples refusal refused_endpoints any_endpoints $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] endpoints $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [endpoints any_endpoints refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] prefixes $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [prefixes endpoints any_endpoints refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] refuse_pairs $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [refuse_pairs refused_parts refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] refuse_segments $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [refused_parts refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] refuse_keys $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [refused_parts refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] refuse_methods $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [refuse_methods refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] tools $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [tools refusal $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] max_calls $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [bounded $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] idle_ms $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [bounded $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] pends $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [pends $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] combinator $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [combinator $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] bearer $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential header_credential $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] basic $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential auth_schemes header_credential $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] header_key $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential auth_schemes header_credential named_credential $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] query_key $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential auth_schemes named_credential $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] forwarded $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential auth_schemes header_credential $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] token_endpoint $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [credential token_endpoint $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] policy $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [policy $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] retries $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [retries $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] validates_scripts $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [scripts $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] argument_validator $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [argument_validator $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] calls_per_script $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [limits $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] loop_iterations $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [limits $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] response_bytes $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [limits $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] script_ms $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [limits $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] check_exec $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [check_exec $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] check_net $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [check_net $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] check_path $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [check_path $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] mediated_opens $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [mediated_opens $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] spawn $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [spawn $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] generation $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [generation $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] call_budget $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [call_budget $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] meet $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [meet $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] leq $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [leq $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] fence_strength $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [fence_strength $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] serialised $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [serialised $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] resolves $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [resolve $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] placeholder_rules $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [placeholder_rules $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] composes_query $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [query $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] interpolates $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [interpolation $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] patterns $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [pattern $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] max_lengths $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [max_length $($caps)*] $($word)* }
    };
    ($then:ident [$kind:ident] [$($caps:ident)*] allow_slash $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [allow_slash $($caps)*] $($word)* }
    };
    // A word that lets the judge look at nothing more, or none at all: the profile has no such
    // method then, and the compiler says so.
    ($then:ident [$kind:ident] [$($caps:ident)*] $other:ident $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [$($caps)*] $($word)* }
    };
}

/// One test for each row about a policy that has a check.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_policy_rows {
    ($caps:tt) => {
        $crate::__proofmark_row! { pol_01 "POL-01" [] $caps }
        $crate::__proofmark_row! { pol_02 "POL-02" [stateless] $caps }
        $crate::__proofmark_row! { pol_03 "POL-03" [stateless] $caps }
        $crate::__proofmark_row! { pol_04 "POL-04" [refuse_pairs] $caps }
        $crate::__proofmark_row! { pol_05 "POL-05" [refusal] $caps }
        $crate::__proofmark_row! { pol_06 "POL-06" [tools] $caps }
        $crate::__proofmark_row! { pol_07 "POL-07" [per_call] $caps }
        $crate::__proofmark_row! { pol_08 "POL-08" [] $caps }
        $crate::__proofmark_row! { pol_09 "POL-09" [] $caps }
        $crate::__proofmark_row! { pol_10 "POL-10" [pends] $caps }
        $crate::__proofmark_row! { pol_11 "POL-11" [samples] $caps }
        $crate::__proofmark_row! { pol_12 "POL-12" [endpoints] $caps }
        $crate::__proofmark_row! { pol_13 "POL-13" [stateless] $caps }
        $crate::__proofmark_row! { pol_14 "POL-14" [bounded] $caps }
        $crate::__proofmark_row! { pol_15 "POL-15" [independent_calls] $caps }
        $crate::__proofmark_row! { pol_16 "POL-16" [refused_parts] $caps }
        $crate::__proofmark_row! { pol_17 "POL-17" [combinator] $caps }
        $crate::__proofmark_row! { pol_18 "POL-18" [refused_endpoints] $caps }
        $crate::__proofmark_row! { pol_19 "POL-19" [any_endpoints] $caps }
        $crate::__proofmark_row! { pol_20 "POL-20" [refuse_methods] $caps }
        $crate::__proofmark_row! { pol_21 "POL-21" [refusal] $caps }
        $crate::__proofmark_row! { pol_22 "POL-22" [prefixes] $caps }
        $crate::__proofmark_row! { bud_01 "BUD-01" [budget] $caps }
        $crate::__proofmark_row! { bud_02 "BUD-02" [requests] $caps }
        $crate::__proofmark_row! { bud_03 "BUD-03" [call_scope] $caps }
        $crate::__proofmark_row! { bud_04 "BUD-04" [bytes] $caps }
        $crate::__proofmark_row! { bud_05 "BUD-05" [budget] $caps }
        $crate::__proofmark_row! { bud_06 "BUD-06" [bytes] $caps }
        $crate::__proofmark_row! { bud_07 "BUD-07" [fixed_budget] $caps }
        $crate::__proofmark_row! { bud_08 "BUD-08" [rate] $caps }
        $crate::__proofmark_row! { bud_09 "BUD-09" [requests] $caps }
        $crate::__proofmark_row! { bud_10 "BUD-10" [takes_limit] $caps }
        $crate::__proofmark_row! { bud_11 "BUD-11" [takes_clock] $caps }
        $crate::__proofmark_row! { bud_12 "BUD-12" [budget] $caps }
        $crate::__proofmark_row! { bud_13 "BUD-13" [tool_and_call] $caps }
        $crate::__proofmark_row! { bud_14 "BUD-14" [budget] $caps }
        $crate::__proofmark_row! { bud_15 "BUD-15" [call_scope] $caps }
        $crate::__proofmark_row! { bud_16 "BUD-16" [requests] $caps }
        $crate::__proofmark_row! { bud_17 "BUD-17" [distinct_endpoints] $caps }
    };
}

/// One test for each row about an executor that has a check.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_executor_rows {
    ($caps:tt) => {
        $crate::__proofmark_row! { exe_01 "EXE-01" [] $caps }
        $crate::__proofmark_row! { exe_02 "EXE-02" [] $caps }
        $crate::__proofmark_row! { exe_03 "EXE-03" [] $caps }
        $crate::__proofmark_row! { exe_04 "EXE-04" [] $caps }
        $crate::__proofmark_row! { exe_05 "EXE-05" [] $caps }
        $crate::__proofmark_row! { exe_06 "EXE-06" [] $caps }
        $crate::__proofmark_row! { exe_07 "EXE-07" [] $caps }
        $crate::__proofmark_row! { exe_08 "EXE-08" [] $caps }
        $crate::__proofmark_row! { exe_09 "EXE-09" [] $caps }
        $crate::__proofmark_row! { exe_10 "EXE-10" [] $caps }
        $crate::__proofmark_row! { exe_11 "EXE-11" [] $caps }
        $crate::__proofmark_row! { exe_12 "EXE-12" [] $caps }
        $crate::__proofmark_row! { exe_13 "EXE-13" [policy] $caps }
        $crate::__proofmark_row! { exe_14 "EXE-14" [retries] $caps }
        $crate::__proofmark_row! { exe_15 "EXE-15" [policy] $caps }
        $crate::__proofmark_row! { exe_16 "EXE-16" [] $caps }
        $crate::__proofmark_row! { exe_17 "EXE-17" [] $caps }
        $crate::__proofmark_row! { exe_18 "EXE-18" [header_credential] $caps }
        $crate::__proofmark_row! { exe_19 "EXE-19" [policy] $caps }
        $crate::__proofmark_row! { exe_20 "EXE-20" [] $caps }
        $crate::__proofmark_row! { exe_21 "EXE-21" [credential] $caps }
        $crate::__proofmark_row! { cred_01 "CRED-01" [credential] $caps }
        $crate::__proofmark_row! { cred_02 "CRED-02" [auth_schemes] $caps }
        $crate::__proofmark_row! { cred_04 "CRED-04" [credential] $caps }
        $crate::__proofmark_row! { cred_07 "CRED-07" [credential] $caps }
        $crate::__proofmark_row! { cred_10 "CRED-10" [] $caps }
        $crate::__proofmark_row! { cred_11 "CRED-11" [named_credential] $caps }
        $crate::__proofmark_row! { cred_12 "CRED-12" [token_endpoint] $caps }
    };
}

/// One test for each row about a resolver that has a check.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_resolver_rows {
    ($caps:tt) => {
        $crate::__proofmark_row! { path_01 "PATH-01" [] $caps }
        $crate::__proofmark_row! { path_02 "PATH-02" [] $caps }
        $crate::__proofmark_row! { path_03 "PATH-03" [] $caps }
        $crate::__proofmark_row! { path_04 "PATH-04" [] $caps }
        $crate::__proofmark_row! { path_05 "PATH-05" [] $caps }
        $crate::__proofmark_row! { path_06 "PATH-06" [pattern] $caps }
        $crate::__proofmark_row! { path_07 "PATH-07" [max_length] $caps }
        $crate::__proofmark_row! { path_08 "PATH-08" [pattern] $caps }
        $crate::__proofmark_row! { path_09 "PATH-09" [allow_slash] $caps }
        $crate::__proofmark_row! { path_10 "PATH-10" [resolve] $caps }
        $crate::__proofmark_row! { path_11 "PATH-11" [resolve] $caps }
        $crate::__proofmark_row! { path_12 "PATH-12" [resolve] $caps }
        $crate::__proofmark_row! { path_13 "PATH-13" [resolve] $caps }
        $crate::__proofmark_row! { path_14 "PATH-14" [resolve] $caps }
        $crate::__proofmark_row! { path_15 "PATH-15" [] $caps }
        $crate::__proofmark_row! { path_16 "PATH-16" [placeholder_rules] $caps }
        $crate::__proofmark_row! { path_17 "PATH-17" [placeholder_rules interpolation] $caps }
        $crate::__proofmark_row! { path_18 "PATH-18" [resolve] $caps }
        $crate::__proofmark_row! { path_19 "PATH-19" [resolve] $caps }
        $crate::__proofmark_row! { path_20 "PATH-20" [interpolation] $caps }
        $crate::__proofmark_row! { path_21 "PATH-21" [resolve query] $caps }
        $crate::__proofmark_row! { path_22 "PATH-22" [] $caps }
        $crate::__proofmark_row! { path_23 "PATH-23" [resolve query] $caps }
        $crate::__proofmark_row! { path_24 "PATH-24" [interpolation] $caps }
        $crate::__proofmark_row! { path_25 "PATH-25" [resolve] $caps }
        $crate::__proofmark_row! { path_26 "PATH-26" [placeholder_rules] $caps }
        $crate::__proofmark_row! { path_27 "PATH-27" [resolve query] $caps }
    };
}

/// One test for each row about a leash that has a check.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_leash_rows {
    ($caps:tt) => {
        $crate::__proofmark_row! { lsh_02 "LSH-02" [] $caps }
        $crate::__proofmark_row! { lsh_03 "LSH-03" [generation call_budget] $caps }
        $crate::__proofmark_row! { lsh_04 "LSH-04" [call_budget] $caps }
        $crate::__proofmark_row! { lsh_05 "LSH-05" [check_exec] $caps }
        $crate::__proofmark_row! { lsh_06 "LSH-06" [check_net] $caps }
        $crate::__proofmark_row! { lsh_07 "LSH-07" [check_path] $caps }
        $crate::__proofmark_row! { lsh_08 "LSH-08" [check_path] $caps }
        $crate::__proofmark_row! { lsh_09 "LSH-09" [check_path] $caps }
        $crate::__proofmark_row! { lsh_10 "LSH-10" [] $caps }
        $crate::__proofmark_row! { lsh_11 "LSH-11" [spawn] $caps }
        $crate::__proofmark_row! { lsh_12 "LSH-12" [spawn] $caps }
        $crate::__proofmark_row! { lsh_13 "LSH-13" [mediated_opens] $caps }
        $crate::__proofmark_row! { lsh_14 "LSH-14" [] $caps }
        $crate::__proofmark_row! { lsh_15 "LSH-15" [check_path] $caps }
        $crate::__proofmark_row! { lsh_16 "LSH-16" [] $caps }
        $crate::__proofmark_row! { lsh_17 "LSH-17" [] $caps }
        $crate::__proofmark_row! { lsh_18 "LSH-18" [] $caps }
        $crate::__proofmark_row! { lat_01 "LAT-01" [meet] $caps }
        $crate::__proofmark_row! { lat_02 "LAT-02" [meet leq] $caps }
        $crate::__proofmark_row! { lat_03 "LAT-03" [meet leq] $caps }
        $crate::__proofmark_row! { lat_04 "LAT-04" [fence_strength] $caps }
        $crate::__proofmark_row! { lat_05 "LAT-05" [serialised] $caps }
    };
}

/// One test for each row about a surface that has a check.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_surface_rows {
    ($caps:tt) => {
        $crate::__proofmark_row! { cred_01 "CRED-01" [credential] $caps }
        $crate::__proofmark_row! { cred_02 "CRED-02" [auth_schemes] $caps }
        $crate::__proofmark_row! { cred_03 "CRED-03" [scripts credential] $caps }
        $crate::__proofmark_row! { cred_04 "CRED-04" [credential] $caps }
        $crate::__proofmark_row! { cred_07 "CRED-07" [credential] $caps }
        $crate::__proofmark_row! { cred_10 "CRED-10" [] $caps }
        $crate::__proofmark_row! { cred_11 "CRED-11" [named_credential] $caps }
        $crate::__proofmark_row! { sur_01 "SUR-01" [] $caps }
        $crate::__proofmark_row! { sur_02 "SUR-02" [] $caps }
        $crate::__proofmark_row! { sur_03 "SUR-03" [] $caps }
        $crate::__proofmark_row! { sur_04 "SUR-04" [] $caps }
        $crate::__proofmark_row! { sur_05 "SUR-05" [] $caps }
        $crate::__proofmark_row! { sur_07 "SUR-07" [argument_validator] $caps }
        $crate::__proofmark_row! { sur_08 "SUR-08" [limits] $caps }
        $crate::__proofmark_row! { sur_10 "SUR-10" [] $caps }
        $crate::__proofmark_row! { sur_11 "SUR-11" [] $caps }
        $crate::__proofmark_row! { sur_12 "SUR-12" [] $caps }
        $crate::__proofmark_row! { sur_13 "SUR-13" [] $caps }
        $crate::__proofmark_row! { sur_15 "SUR-15" [] $caps }
    };
}

/// One row: a test where every need is met, else an ignored one that says which is not.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_row {
    ($test:ident $id:literal [] $all:tt) => {
        #[test]
        fn $test() -> ::core::result::Result<(), $crate::outcome::Failure> {
            $crate::testing::row($id, ::core::module_path!(), ::core::stringify!($test), __proofmark_subject)
        }
    };
    (@ignored $test:ident $id:literal $reason:literal) => {
        #[test]
        #[ignore = $reason]
        fn $test() -> ::core::result::Result<(), $crate::outcome::Failure> {
            $crate::testing::row($id, ::core::module_path!(), ::core::stringify!($test), __proofmark_subject)
        }
    };
    ($test:ident $id:literal [$need:ident $($needs:ident)*] [$($all:ident)*]) => {
        $crate::__proofmark_row! { @find $need $test $id [$($needs)*] [$($all)*] [$($all)*] }
    };
    (@find stateless $test:ident $id:literal $needs:tt $all:tt [stateless $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find stateless $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not declare the policy stateless" }
    };
    (@find budget $test:ident $id:literal $needs:tt $all:tt [budget $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find budget $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget and no rate" }
    };
    (@find fixed_budget $test:ident $id:literal $needs:tt $all:tt [fixed_budget $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find fixed_budget $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget other than a rate" }
    };
    (@find requests $test:ident $id:literal $needs:tt $all:tt [requests $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find requests $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no request budget" }
    };
    (@find bytes $test:ident $id:literal $needs:tt $all:tt [bytes $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find bytes $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no byte budget" }
    };
    (@find distinct_endpoints $test:ident $id:literal $needs:tt $all:tt [distinct_endpoints $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find distinct_endpoints $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget of distinct endpoints" }
    };
    (@find rate $test:ident $id:literal $needs:tt $all:tt [rate $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find rate $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no rate" }
    };
    (@find per_call $test:ident $id:literal $needs:tt $all:tt [per_call $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find per_call $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget per call" }
    };
    (@find call_scope $test:ident $id:literal $needs:tt $all:tt [call_scope $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find call_scope $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget that is kept by call" }
    };
    (@find tool_and_call $test:ident $id:literal $needs:tt $all:tt [tool_and_call $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find tool_and_call $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no budget per tool and call" }
    };
    (@find independent_calls $test:ident $id:literal $needs:tt $all:tt [independent_calls $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find independent_calls $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile is neither stateless nor keeps its budget by call" }
    };
    (@find samples $test:ident $id:literal $needs:tt $all:tt [samples $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find samples $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no allowed and no refused sample" }
    };
    (@find refusal $test:ident $id:literal $needs:tt $all:tt [refusal $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find refusal $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares nothing that is refused" }
    };
    (@find refuse_pairs $test:ident $id:literal $needs:tt $all:tt [refuse_pairs $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find refuse_pairs $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no refused pairs" }
    };
    (@find refused_parts $test:ident $id:literal $needs:tt $all:tt [refused_parts $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find refused_parts $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no refused pair, segment or body key" }
    };
    (@find refuse_methods $test:ident $id:literal $needs:tt $all:tt [refuse_methods $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find refuse_methods $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no refused method" }
    };
    (@find endpoints $test:ident $id:literal $needs:tt $all:tt [endpoints $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find endpoints $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no endpoints" }
    };
    (@find refused_endpoints $test:ident $id:literal $needs:tt $all:tt [refused_endpoints $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find refused_endpoints $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no refused endpoint" }
    };
    (@find any_endpoints $test:ident $id:literal $needs:tt $all:tt [any_endpoints $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find any_endpoints $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares neither endpoints nor refused ones" }
    };
    (@find prefixes $test:ident $id:literal $needs:tt $all:tt [prefixes $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find prefixes $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no prefixes" }
    };
    (@find tools $test:ident $id:literal $needs:tt $all:tt [tools $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find tools $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no tools" }
    };
    (@find pends $test:ident $id:literal $needs:tt $all:tt [pends $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find pends $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that checks wait" }
    };
    (@find bounded $test:ident $id:literal $needs:tt $all:tt [bounded $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find bounded $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no bound on remembered calls" }
    };
    (@find combinator $test:ident $id:literal $needs:tt $all:tt [combinator $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find combinator $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not declare a combinator" }
    };
    (@find takes_limit $test:ident $id:literal $needs:tt $all:tt [takes_limit $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find takes_limit $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the factory does not take the limit" }
    };
    (@find takes_clock $test:ident $id:literal $needs:tt $all:tt [takes_clock $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find takes_clock $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the factory does not take a clock" }
    };
    (@find credential $test:ident $id:literal $needs:tt $all:tt [credential $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find credential $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no credential" }
    };
    (@find auth_schemes $test:ident $id:literal $needs:tt $all:tt [auth_schemes $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find auth_schemes $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no scheme other than a bearer token" }
    };
    (@find header_credential $test:ident $id:literal $needs:tt $all:tt [header_credential $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find header_credential $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no credential that travels in a header" }
    };
    (@find named_credential $test:ident $id:literal $needs:tt $all:tt [named_credential $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find named_credential $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no credential under a name of its own" }
    };
    (@find token_endpoint $test:ident $id:literal $needs:tt $all:tt [token_endpoint $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find token_endpoint $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no token endpoint" }
    };
    (@find policy $test:ident $id:literal $needs:tt $all:tt [policy $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find policy $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that a policy is asked" }
    };
    (@find retries $test:ident $id:literal $needs:tt $all:tt [retries $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find retries $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that requests are repeated" }
    };
    (@find scripts $test:ident $id:literal $needs:tt $all:tt [scripts $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find scripts $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that scripts are validated" }
    };
    (@find argument_validator $test:ident $id:literal $needs:tt $all:tt [argument_validator $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find argument_validator $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that validators are asked" }
    };
    (@find limits $test:ident $id:literal $needs:tt $all:tt [limits $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find limits $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile declares no limit of a script or an answer" }
    };
    (@find check_exec $test:ident $id:literal $needs:tt $all:tt [check_exec $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find check_exec $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash answers `check_exec`" }
    };
    (@find check_net $test:ident $id:literal $needs:tt $all:tt [check_net $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find check_net $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash answers `check_net`" }
    };
    (@find check_path $test:ident $id:literal $needs:tt $all:tt [check_path $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find check_path $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash answers `check_path_read` and `check_path_write`" }
    };
    (@find mediated_opens $test:ident $id:literal $needs:tt $all:tt [mediated_opens $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find mediated_opens $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash opens files itself" }
    };
    (@find spawn $test:ident $id:literal $needs:tt $all:tt [spawn $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find spawn $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash runs programs" }
    };
    (@find generation $test:ident $id:literal $needs:tt $all:tt [generation $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find generation $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that a gate stands for a generation" }
    };
    (@find call_budget $test:ident $id:literal $needs:tt $all:tt [call_budget $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find call_budget $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that a gate has a budget of calls" }
    };
    (@find meet $test:ident $id:literal $needs:tt $all:tt [meet $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find meet $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash gives the meet of two authorities" }
    };
    (@find leq $test:ident $id:literal $needs:tt $all:tt [leq $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find leq $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash compares two authorities" }
    };
    (@find fence_strength $test:ident $id:literal $needs:tt $all:tt [fence_strength $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find fence_strength $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash tells how strong a fence is" }
    };
    (@find serialised $test:ident $id:literal $needs:tt $all:tt [serialised $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find serialised $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that the leash writes authority as text" }
    };
    (@find resolve $test:ident $id:literal $needs:tt $all:tt [resolve $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find resolve $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that whole templates are resolved" }
    };
    (@find placeholder_rules $test:ident $id:literal $needs:tt $all:tt [placeholder_rules $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find placeholder_rules $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that rules are looked up" }
    };
    (@find query $test:ident $id:literal $needs:tt $all:tt [query $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find query $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that a template may have a query" }
    };
    (@find interpolation $test:ident $id:literal $needs:tt $all:tt [interpolation $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find interpolation $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that variables are interpolated" }
    };
    (@find pattern $test:ident $id:literal $needs:tt $all:tt [pattern $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find pattern $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that patterns can be declared" }
    };
    (@find max_length $test:ident $id:literal $needs:tt $all:tt [max_length $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find max_length $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that lengths can be declared" }
    };
    (@find allow_slash $test:ident $id:literal $needs:tt $all:tt [allow_slash $($rest:ident)*]) => {
        $crate::__proofmark_row! { $test $id $needs $all }
    };
    (@find allow_slash $test:ident $id:literal $needs:tt $all:tt []) => {
        $crate::__proofmark_row! { @ignored $test $id "not applicable: the profile does not say that a slash can be allowed" }
    };
    (@find $need:ident $test:ident $id:literal $needs:tt $all:tt [$skip:ident $($rest:ident)*]) => {
        $crate::__proofmark_row! { @find $need $test $id $needs $all [$($rest)*] }
    };
}
