//! A run that is broken off leaves nothing running.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::command;

/// The children of a process, whichever of its threads started them.
fn children(pid: u32) -> Vec<PathBuf> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let lists = threads.filter_map(|thread| {
        let path = thread.ok()?.path().join("children");
        fs::read_to_string(path).ok()
    });
    let pids: Vec<String> = lists
        .flat_map(|list| {
            list.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    pids.iter()
        .map(|pid| PathBuf::from("/proc").join(pid))
        .collect()
}

fn until(mut met: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        if met() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn a_worker_ends_with_the_program_that_started_it() {
    let mut program = command();
    // So many cases keep a worker busy for minutes.
    program.args(["certify", "--subject", "endpoint_allowlist"]);
    program.args(["--cases", "1000000"]);
    let mut run = program
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut workers = Vec::new();
    assert!(until(|| {
        workers = children(run.id());
        !workers.is_empty()
    }));
    // Once it has been handed its job; before that, its end would prove nothing.
    let cpu = workers[0].join("stat");
    assert!(until(|| {
        let stat = fs::read_to_string(&cpu).unwrap_or_default();
        let ticks = stat.split_whitespace().nth(13);
        ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(0_u64) >= 10
    }));

    run.kill().unwrap();
    run.wait().unwrap();

    assert!(until(|| !workers[0].exists()), "{workers:?}");
}
