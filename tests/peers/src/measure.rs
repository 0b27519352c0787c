//! Measures two sides of one comparison in turns, so that a noisy machine is noisy for both.

use std::hint::black_box;
use std::time::Instant;

/// How many samples each side gives.
const SAMPLES: usize = 101;
/// How long one sample should take, in nanoseconds.
const SAMPLE_TIME: u128 = 200_000;

/// The medians of both sides, in nanoseconds for one run.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The toolkit.
    pub ours: f64,
    /// The public crate.
    pub peer: f64,
}

impl Comparison {
    /// Our time as a share of the peer's.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ours / self.peer
    }
}

/// Runs both sides alternately and takes the median of each.
pub fn compare<A, B>(mut ours: impl FnMut() -> A, mut peer: impl FnMut() -> B) -> Comparison {
    let our_runs = runs_in_a_sample(&mut ours);
    let peer_runs = runs_in_a_sample(&mut peer);
    let mut our_samples = Vec::with_capacity(SAMPLES);
    let mut peer_samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        our_samples.push(sample(&mut ours, our_runs));
        peer_samples.push(sample(&mut peer, peer_runs));
    }
    Comparison {
        ours: median(our_samples),
        peer: median(peer_samples),
    }
}

fn runs_in_a_sample<T>(run: &mut impl FnMut() -> T) -> u32 {
    let mut runs = 1;
    loop {
        let start = Instant::now();
        for _ in 0..runs {
            black_box(run());
        }
        if start.elapsed().as_nanos() >= SAMPLE_TIME || runs >= 1 << 20 {
            return runs;
        }
        runs *= 2;
    }
}

fn sample<T>(run: &mut impl FnMut() -> T, runs: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        black_box(run());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
