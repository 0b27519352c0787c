//! What can be wrong with a desk, and where.

/// What is wrong with a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    // What the policy is shown.
    ShowsTemplate,
    ShowsBareTarget,
    ShowsTemplatesOfPosts,
    HidesTheAuthorsQuery,
    ShowsBodyOfGets,
    ShowsEmptyBodyOfGets,
    CarriesBodiesOfGets,
    ShowsTheCredential,
    ShowsTheKeyInPreviews,
    // What is done between the question and the sending.
    AddsAPair,
    RebuildsTheBody,
    SortsPairs,
    TrimsTargets,
    RepeatsWithoutPairs,
    // Which tool is named.
    NamesOneTool,
    NamesScriptToolsAlike,
    SharesTheToolsName,
    NamesFirstRequestsOnly,
    // Which call is named.
    TakesTheMessagesId,
    HashesTheArguments,
    MintsForEachRequest,
    SendsTheId,
    SendsTheIdOfPosts,
    CountsItsOwnCalls,
    TurnsAWheel,
    CountsCalls,
    SeedsItsGenerator,
    // How often the policy is asked.
    AsksTwice,
    AsksForEachAttempt,
    RemembersAnswers,
    AsksOnceItHasSent,
    IgnoresThePolicy,
    // When the validator is asked.
    ValidatesFirst,
    ValidatesWithTheSchema,
    ValidatesEveryTool,
    IgnoresTheValidator,
    ValidatesOnce,
    // Which limits are kept.
    NoCallLimit,
    NoIterationLimit,
    NoResponseLimit,
    NoTimeLimit,
    CountsLetters,
    LooksAtTheClockBetweenCalls,
    // What calls share.
    SharesTheId,
    SharesVariables,
    SharesArguments,
    // What is reported.
    ReportsFaultsOnly,
    ReportsFaultsOfScripts,
    ReportsRefusalsOnly,
    QuotesArguments,
    QuotesWhatIsNoScalar,
    TracesTheCredential,
    // Which headers arguments set.
    TakesAnyHeader,
    SendsUndeclaredHeaders,
    SendsUndeclaredPairs,
    KnowsNoUnderscores,
    SplitsHeaders,
    TakesTheKeysHeader,
    // What is made where there is no policy.
    BuildsForNobody,
    // No flaws: each conforms in a way of its own.
    HasNoHook,
    RepeatsGets,
    DropsReservedHeaders,
    HasOneSentence,
}
