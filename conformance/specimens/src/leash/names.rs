//! Leashes that match programs or hosts otherwise than they promise.

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{CaveatSpec, LeashSubject, ScopeSpec};

use super::altered::{Altered, SOUND, listed, subject};
use super::lsh;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_programs();
    specimens.extend(of_hosts());
    specimens
}

fn of_programs() -> Vec<Specimen> {
    let subject = |name, exec| {
        let profile = LeashProfile::new().check_exec();
        subject(name, profile, Altered { exec, ..SOUND })
    };
    vec![
        Specimen::new(
            lsh(5),
            "compares programs without regard to letter case",
            subject("leash_folds_programs", |caveats, program, sound| {
                sound || listed(&caveats.exec).any(|grant| grant.eq_ignore_ascii_case(program))
            }),
        ),
        Specimen::new(
            lsh(5),
            "compares a pinned program by its file name only",
            subject("leash_pins_nothing", |caveats, program, sound| {
                sound || listed(&caveats.exec).any(|grant| file_name(grant) == program)
            }),
        ),
        Specimen::new(
            lsh(5),
            "takes `git-…` for the program `git`",
            subject("leash_takes_subcommands", |caveats, program, sound| {
                let named = program.split('-').next().unwrap_or(program);
                sound || listed(&caveats.exec).any(|grant| grant == named && short(program))
            }),
        ),
        Specimen::new(
            lsh(5),
            "takes a grant of `*` for a grant of every program",
            subject("leash_takes_a_star_for_all", |caveats, _, sound| {
                sound || listed(&caveats.exec).any(|grant| grant == "*")
            }),
        ),
        Specimen::new(
            lsh(5),
            "takes a backslash for a separator where it is none",
            subject("leash_parts_at_backslashes", |caveats, program, sound| {
                let last = program.rsplit('\\').next().unwrap_or(program);
                sound || (short(program) && listed(&caveats.exec).any(|grant| grant == last))
            }),
        ),
    ]
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Neither long nor with a NUL: the fault is in what such a name is compared with.
fn short(name: &str) -> bool {
    name.len() < 256 && !name.contains('\0')
}

fn of_hosts() -> Vec<Specimen> {
    let subject = |name, net: fn(&CaveatSpec, &str, bool) -> bool| -> LeashSubject {
        let profile = LeashProfile::new().check_net();
        subject(name, profile, Altered { net, ..SOUND })
    };
    vec![
        Specimen::new(
            lsh(6),
            "takes a host for granted if it ends like one that is",
            subject("leash_matches_host_suffixes", |caveats, host, sound| {
                let ends = |grant: &str| short(host) && host.ends_with(grant);
                sound || listed(&caveats.net).any(ends)
            }),
        ),
        Specimen::new(
            lsh(6),
            "takes a granted host for a grant of all its ports",
            subject("leash_forgives_ports", |caveats, host, sound| {
                let named = host.split(':').next().unwrap_or(host);
                sound || (short(host) && listed(&caveats.net).any(|grant| grant == named))
            }),
        ),
        Specimen::new(
            lsh(6),
            "takes `:*` in a grant for every port",
            subject("leash_knows_port_wildcards", |caveats, host, sound| {
                let named = host.split(':').next().unwrap_or(host);
                let any_port = |grant: &str| grant.strip_suffix(":*") == Some(named);
                sound || (short(host) && listed(&caveats.net).any(any_port))
            }),
        ),
        Specimen::new(
            lsh(6),
            "takes the granted port for the usual one, which need not be named",
            subject("leash_elides_usual_ports", |caveats, host, sound| {
                let usual = |grant: &str| grant.strip_suffix(":443") == Some(host);
                sound || listed(&caveats.net).any(usual)
            }),
        ),
        Specimen::new(
            lsh(17),
            "lets every host through where none is listed",
            subject("leash_takes_no_hosts_for_all", |caveats, _, sound| {
                sound || caveats.net == ScopeSpec::none()
            }),
        )
        .also(
            lsh(2),
            "grant and need without a common host permit none, and all are let through",
        ),
    ]
}
