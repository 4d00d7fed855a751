//! Pauses between attempts.

use std::time::Duration;

/// How long the pauses between attempts to dial in are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The longest first pause.
    pub first: Duration,
    /// How much longer each next pause may be; at least 1.
    pub factor: f64,
    /// What no pause exceeds.
    pub longest: Duration,
}

impl Default for Backoff {
    /// From 50 ms, doubling, to 5 s.
    fn default() -> Self {
        Self { first: Duration::from_millis(50), factor: 2.0, longest: Duration::from_secs(5) }
    }
}

impl Backoff {
    /// The pause before an attempt, from 1: at random between half and the whole of what it may be.
    ///
    /// At random, so that many bots of a service that comes back do not all dial in at the same moment.
    pub fn pause(&self, attempt: u32) -> Duration {
        // Bounded, so that the power stays finite.
        let exponent = attempt.saturating_sub(1).min(64) as i32;
        let whole = (self.first.as_secs_f64() * self.factor.powi(exponent)).min(self.longest.as_secs_f64());
        Duration::from_secs_f64(whole * rand::random_range(0.5..=1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_are_never_less_than_half_of_that() {
        let backoff = Backoff::default();
        for (attempt, whole_ms) in [(1, 50), (2, 100), (5, 800), (8, 5_000), (10_000, 5_000)] {
            let whole = Duration::from_millis(whole_ms);
            for _ in 0..50 {
                let pause = backoff.pause(attempt);
                assert!(whole / 2 <= pause && pause <= whole, "attempt {attempt}: {pause:?}");
            }
        }
    }
}
