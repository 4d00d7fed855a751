//! What a bot is asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::SeedableRng;
use sha2::{Digest, Sha256};

use crate::errors::Error;
use crate::protocol;

/// What a bot is asked, with everything that its seat may know.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The match's identifier.
    pub match_id: String,
    /// Counts this seat's own decisions in this match, from 1.
    pub number: u32,
    /// The game's identifier, such as `art_robbery`.
    pub game: String,
    /// This bot's seat, from 0.
    pub seat: usize,
    /// How many seats are at the table.
    pub players: usize,
    /// The legal actions in notation, in canonical order; never empty.
    pub legal: Vec<String>,
    /// All that the seat may know: the game's own message; `None` for a game that this SDK does not know.
    pub view: Option<protocol::view::Game>,
    /// The time left for this decision before the bank is used, as of when the service sent it.
    pub decision_left: Duration,
    /// The time left in this seat's bank.
    pub bank_left: Duration,
    /// What was charged for this seat's last decision.
    pub last_charged: Duration,
    /// How many refused answers may still be corrected; `None` where there is no limit.
    pub corrections_left: Option<u32>,
    /// Chance of this decision's own: a function of the seed, the match, the seat and the decision's number. It stays the same
    /// within a version of the crate `rand`.
    pub random: StdRng,
    /// What was said about the match before it began: options, clock, the names of the seats.
    pub offer: Arc<protocol::MatchOffered>,
    legal_actions: Vec<protocol::Action>,
}

impl Decision {
    pub(crate) fn new(message: protocol::Decision, offer: Arc<protocol::MatchOffered>, randomness: &Randomness) -> Self {
        let milliseconds = |ms: u32| Duration::from_millis(u64::from(ms));
        Self {
            random: randomness.source(&message.r#match, message.seat, message.decision),
            match_id: message.r#match,
            number: message.decision,
            game: offer.configuration.as_ref().map(|configuration| configuration.game.clone()).unwrap_or_default(),
            seat: message.seat as usize,
            players: offer.players as usize,
            legal: message.legal,
            view: message.view.and_then(|view| view.game),
            decision_left: milliseconds(message.decision_ms_left),
            bank_left: milliseconds(message.bank_ms_left),
            last_charged: milliseconds(message.last_charged_ms),
            corrections_left: message.corrections_left,
            offer,
            legal_actions: message.legal_actions,
        }
    }

    /// The legal actions as typed messages, in the order of [`legal`](Self::legal); an error unless they were asked for by
    /// [`Options::legal_actions`](crate::Options::legal_actions).
    pub fn legal_actions(&self) -> Result<&[protocol::Action], Error> {
        if self.legal_actions.is_empty() {
            let text = "typed actions are sent on request only: call legal_actions(true) of the options";
            return Err(Error::DecisionUnreadable(text.to_owned()));
        }
        Ok(&self.legal_actions)
    }

    /// A decision that was never asked: for tests of a bot.
    pub fn for_tests(game: &str, legal: &[&str], view: Option<protocol::view::Game>) -> Self {
        let configuration = protocol::MatchConfiguration { game: game.to_owned(), ..Default::default() };
        let offer = protocol::MatchOffered { players: 3, configuration: Some(configuration), ..Default::default() };
        let message = protocol::Decision {
            r#match: "test".to_owned(),
            decision: 1,
            legal: legal.iter().map(|&action| action.to_owned()).collect(),
            view: Some(protocol::View { game: view }),
            ..Default::default()
        };
        Self::new(message, Arc::new(offer), &Randomness::new(Some("test")))
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, match_id, game, seat, legal, .. } = self;
        write!(formatter, "decision {number} of match {match_id} ({game}, seat {seat}, legal {legal:?})")
    }
}

/// Where `Decision::random` comes from: one key for a whole process, one independent source per decision. A bot that keeps no
/// memory of its own therefore plays the same again when it is started anew in the middle of a match.
#[derive(Clone)]
pub(crate) struct Randomness([u8; 32]);

impl Randomness {
    /// The key of a seed or, without one, a key that no other process has.
    pub fn new(seed: Option<&str>) -> Self {
        // Hashed first, so that the key has a fixed length and no seed can imitate what follows it.
        Self(seed.map_or_else(rand::random, |seed| Sha256::digest(seed).into()))
    }

    fn source(&self, match_id: &str, seat: u32, number: u32) -> StdRng {
        let mut hash = Sha256::new_with_prefix(self.0);
        hash.update(format!("{match_id}/{seat}/{number}"));
        StdRng::from_seed(hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn lots_depend_on_seed_match_seat_and_number_alone() {
        let draw = |seed, match_id, seat, number| -> u64 { Randomness::new(Some(seed)).source(match_id, seat, number).random() };
        let first = draw("a", "m", 0, 1);
        assert_eq!(first, draw("a", "m", 0, 1));
        for other in [draw("b", "m", 0, 1), draw("a", "n", 0, 1), draw("a", "m", 1, 1), draw("a", "m", 0, 2)] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn without_a_seed_no_two_processes_draw_the_same() {
        let draw = || -> u64 { Randomness::new(None).source("m", 0, 1).random() };
        assert_ne!(draw(), draw());
    }

    #[test]
    fn typed_actions_that_were_not_asked_for_are_no_empty_list() {
        let decision = Decision::for_tests("art_robbery", &["play N3"], None);
        assert!(decision.legal_actions().is_err());
        assert_eq!(decision.to_string(), r#"decision 1 of match test (art_robbery, seat 0, legal ["play N3"])"#);
    }
}
