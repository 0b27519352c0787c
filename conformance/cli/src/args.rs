//! What can be asked on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use proofmark_conformance::catalogue::SubjectKind;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::trial::Settings;

use crate::format::{CertificateFormat, Format};

/// Judges whether a request policy keeps the promises that its users rely on.
#[derive(Debug, Parser)]
#[command(name = "proofmark", version, propagate_version = true)]
#[command(after_help = "\
Exit codes: 0 all is well, 1 a subject is not certified, 2 wrong usage or configuration,
3 a fault of the suite itself.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge a subject; without one, every built-in reference subject
    Certify(Certify),
    /// Judge the suite: each broken specimen must be convicted, each conforming one passed
    Selftest(Selftest),
    /// List the requirements
    List(List),
    /// Show one requirement in full
    Explain(Explain),
    /// Merge the outcomes that `cargo test` left in a folder into one certificate
    Report(Report),
    /// Find secrets in files, in every usual encoding, without printing them
    Scan(Scan),
    /// Judge the job on standard input; started by this program alone
    #[command(hide = true)]
    Worker,
}

/// What kind of subject is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A request policy
    Policy,
    /// Whatever sends requests
    Executor,
    /// Whatever turns a template and values into a request target
    Resolver,
    /// A searcher for secrets
    Scanner,
    /// A capability leash
    Leash,
    /// Whatever answers the calls of tools: curated tools, or scripts
    Surface,
}

impl Kind {
    /// The catalogue's word for it.
    pub(crate) fn subject_kind(self) -> SubjectKind {
        match self {
            Self::Policy => SubjectKind::Policy,
            Self::Executor => SubjectKind::Executor,
            Self::Resolver => SubjectKind::Resolver,
            Self::Scanner => SubjectKind::Scanner,
            Self::Leash => SubjectKind::Leash,
            Self::Surface => SubjectKind::Surface,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Certify {
    /// The kind of subject; every kind unless told otherwise
    #[arg(value_enum)]
    pub(crate) kind: Option<Kind>,
    /// Judge the built-in subject of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,
    /// Hold the subject to the promises in this TOML file instead of its own
    #[arg(long, value_name = "FILE", requires = "subject")]
    pub(crate) profile: Option<PathBuf>,
    /// Judge only these requirements; the verdict is then `partial` at best
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) run: Run,
    #[command(flatten)]
    pub(crate) told: Told,
}

/// What steers a run.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Run {
    /// Repeat the run with this seed, in hexadecimal
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Try this many cases in each generated check
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) cases: Option<u32>,
}

impl Run {
    /// The settings asked for, with this many cases unless told otherwise.
    pub(crate) fn settings(self, cases: u32) -> Settings {
        let seed = self.seed.unwrap_or_else(Seed::fresh);
        Settings {
            cases: self.cases.unwrap_or(cases),
            ..Settings::with_seed(seed)
        }
    }
}

/// How a certificate is told, and where it is kept.
#[derive(Debug, Args)]
pub(crate) struct Told {
    /// How to print the certificate
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CertificateFormat,
    /// Write the certificate into this folder, too
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Selftest {
    #[command(flatten)]
    pub(crate) run: Run,
    /// How to print the kill matrix
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Judge each specimen by the rows it declares only: quicker, and blind to what else would
    /// convict it
    #[arg(long)]
    pub(crate) quick: bool,
    /// Leave this requirement's check out, which must make the test fail; only the specimens that
    /// declare it are judged
    #[arg(long, value_name = "ID", hide = true)]
    pub(crate) without: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The requirement, as in POL-12
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// How to print the requirement
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Scan {
    /// Look for the value of this environment variable
    #[arg(long, value_name = "NAME", required_unless_present = "secret_file")]
    pub(crate) secret_env: Vec<String>,
    /// Look for the content of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Vec<PathBuf>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// The files to look through; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The folder that `PROOFMARK_OUT` named when the tests ran
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) told: Told,
}
