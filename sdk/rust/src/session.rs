//! What a bot knows across its streams: its matches, the decisions it owes, the answers that have no reply yet.
//!
//! Nothing here waits or sends. Frames go in and events come out; answers go in and frames come out. So every order in which
//! things can be lost, doubled or cut off is a plain function call in a test.
//!
//! A decision goes this way; what arrives twice or late changes nothing:
//!
//! ```text
//! Given (the bot is thinking)  --answer-->  Sent (no reply yet)  --accepted-->  Settled
//!   ^                                         |
//!   +------------- refused, may be corrected -+-- refused otherwise -->  Settled
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use prost::Message;

use crate::answer::Answer;
use crate::decision::{Decision, Randomness};
use crate::errors::Error;
use crate::protocol::{
    Choice, ChoiceAccepted, ChoiceRefused, ConnectRequest, ConnectResponse, ErrorReason, MatchEnded, MatchNews, MatchOffered,
    Ready,
};

const CHOICES_PER_FRAME_MAX: usize = 256;
const READIES_PER_FRAME_MAX: usize = 256;
const FRAME_BYTES_MAX: usize = 64 * 1024;
/// How often one answer is sent again because the service could not write it down just then.
const RETRIES_MAX: u32 = 100;

/// What a bot may have to do something about. A later version may have more, so leave the rest alone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A match to get ready for.
    Offered(Arc<MatchOffered>),
    /// Something to decide.
    Decision(Box<Decision>),
    /// A choice that was not taken.
    Refused(Box<Refusal>),
    /// What everybody may know; for bots that asked for it.
    News(MatchNews),
    /// A match is over.
    Ended(MatchEnded),
}

/// A choice that was not taken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// What was to be decided.
    pub decision: Decision,
    /// What the service said.
    pub message: ChoiceRefused,
    /// Whether another answer to the same decision may be given now.
    pub correctable: bool,
}

/// How far the latest decision of a match has come.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Settled,
    Given,
    Sent,
}

/// An answer and its request id, made once and the same in every repetition.
struct Intent {
    choice: Choice,
    retries: u32,
}

/// One running match: what was offered, and the latest decision.
struct Table {
    offer: Arc<MatchOffered>,
    is_ready: bool,
    phase: Phase,
    decision: Option<Decision>,
    intent: Option<Intent>,
}

impl Table {
    fn number(&self) -> u32 {
        self.decision.as_ref().map_or(0, |decision| decision.number)
    }
}

pub(crate) struct Session {
    randomness: Randomness,
    tables: HashMap<String, Table>,
    /// Matches in the order in which they were offered, so that what is said again keeps an order.
    order: Vec<String>,
    readies: Vec<String>,
    /// Matches whose answer is to be sent.
    outbox: Vec<String>,
    /// Matches whose answer could not be written down just then: to be sent again after a pause.
    postponed: Vec<String>,
    id_prefix: [u8; 8],
    ids: u64,
    /// Choices that are in the log.
    pub accepted: u64,
    /// The service is going to stop, and wants this stream to end.
    pub is_draining: bool,
    /// The largest frame that the service reads, in bytes.
    pub frame_bytes_max: usize,
}

impl Session {
    pub fn new(randomness: Randomness) -> Self {
        Self {
            randomness,
            tables: HashMap::new(),
            order: Vec::new(),
            readies: Vec::new(),
            outbox: Vec::new(),
            postponed: Vec::new(),
            // No two processes of one bot make the same id, and one process counts.
            id_prefix: rand::random(),
            ids: 0,
            accepted: 0,
            is_draining: false,
            frame_bytes_max: FRAME_BYTES_MAX,
        }
    }

    /// The matches that were offered and, as far as is known here, are not over.
    pub fn running(&self) -> Vec<Arc<MatchOffered>> {
        self.order.iter().map(|match_id| self.tables[match_id].offer.clone()).collect()
    }

    pub fn has_something_to_say(&self) -> bool {
        !self.outbox.is_empty() || !self.readies.is_empty()
    }

    /// Decisions that were answered and have no reply yet.
    pub fn owed(&self) -> usize {
        self.tables.values().filter(|table| table.phase == Phase::Sent).count()
    }

    /// Whether the bot thinks about something, or something that it said has no reply yet.
    pub fn is_busy(&self) -> bool {
        !self.readies.is_empty() || self.tables.values().any(|table| table.phase != Phase::Settled)
    }

    /// How often those answers were sent that wait for a pause; `None` if there are none.
    pub fn postponed_tries(&self) -> Option<u32> {
        let retries = |match_id: &String| self.tables.get(match_id)?.intent.as_ref().map(|intent| intent.retries);
        self.postponed.iter().filter_map(retries).max()
    }

    /// For a new stream: whatever has no reply is said again, with the same request ids.
    pub fn begin_stream(&mut self) {
        self.is_draining = false;
        self.postponed.clear();
        let is_unheard = |match_id: &&String| self.tables[*match_id].is_ready && self.tables[*match_id].number() == 0;
        self.readies = self.order.iter().filter(is_unheard).cloned().collect();
        let has_no_reply = |match_id: &&String| self.tables[*match_id].intent.is_some();
        self.outbox = self.order.iter().filter(has_no_reply).cloned().collect();
    }

    /// The bot is warm.
    pub fn ready(&mut self, match_id: &str) {
        if let Some(table) = self.tables.get_mut(match_id) {
            table.is_ready = true;
            self.readies.push(match_id.to_owned());
        }
    }

    /// Whether a decision still waits for the bot's answer.
    pub fn is_open(&self, decision: &Decision) -> bool {
        self.tables.get(&decision.match_id).is_some_and(|table| table.number() == decision.number && table.phase == Phase::Given)
    }

    /// Takes an answer to a decision; `false` if the decision is over or has an answer: too late is no error.
    pub fn answer(&mut self, decision: &Decision, answer: Answer) -> Result<bool, Error> {
        if !self.is_open(decision) {
            tracing::debug!(match_id = decision.match_id, decision = decision.number, "a decision needs no answer any more");
            return Ok(false);
        }
        let answer = answer.into_message(decision)?;
        self.ids += 1;
        let choice = Choice {
            r#match: decision.match_id.clone(),
            decision: decision.number,
            request_id: [self.id_prefix, self.ids.to_be_bytes()].concat(),
            answer: Some(answer),
            ..Choice::default()
        };
        let table = self.tables.get_mut(&decision.match_id).expect("its decision is open");
        table.intent = Some(Intent { choice, retries: 0 });
        table.phase = Phase::Sent;
        self.outbox.push(decision.match_id.clone());
        Ok(true)
    }

    /// The next frame to send with everything that is to be said, as far as it fits; `None` if there is nothing.
    pub fn next_frame(&mut self) -> Option<ConnectRequest> {
        if !self.has_something_to_say() {
            return None;
        }
        let readies = self.readies.len().min(READIES_PER_FRAME_MAX);
        let readies = self.readies.drain(..readies).map(|match_id| Ready { r#match: match_id }).collect();
        let mut frame = ConnectRequest { readies, ..ConnectRequest::default() };
        let mut room = self.frame_bytes_max.saturating_sub(frame.encoded_len());
        let mut taken = 0;
        for match_id in &self.outbox {
            taken += 1;
            // A match may be over by now, and its answer in here twice, once postponed and once said again.
            let Some(intent) = self.tables.get(match_id).and_then(|table| table.intent.as_ref()) else { continue };
            // Two bytes or three say how long a choice is.
            let size = intent.choice.encoded_len() + 4;
            if frame.choices.len() == CHOICES_PER_FRAME_MAX || (size > room && !frame.choices.is_empty()) {
                taken -= 1;
                break;
            }
            room = room.saturating_sub(size);
            frame.choices.push(intent.choice.clone());
        }
        self.outbox.drain(..taken);
        let is_empty = frame.readies.is_empty() && frame.choices.is_empty();
        (!is_empty).then_some(frame)
    }

    /// The pause is over: say again what the service could not write down.
    pub fn send_postponed(&mut self) {
        self.outbox.append(&mut self.postponed);
    }

    /// Takes in a frame and returns what is new in it, in the order in which it matters.
    ///
    /// The order of the parts is the order of the protocol: a reply may stand in one frame with the decision after it.
    pub fn receive(&mut self, frame: ConnectResponse) -> Vec<Event> {
        let mut events = Vec::new();
        events.extend(frame.offers.into_iter().filter_map(|offer| self.take_offer(offer)));
        for accepted in &frame.accepted {
            self.take_accepted(accepted);
        }
        events.extend(frame.refused.into_iter().filter_map(|refused| self.take_refused(refused)));
        for message in frame.decisions {
            events.extend(self.take_decision(message));
        }
        events.extend(frame.news.into_iter().map(Event::News));
        events.extend(frame.ended.into_iter().filter_map(|ended| self.take_ended(ended)));
        self.is_draining |= frame.draining.is_some();
        events
    }

    fn take_offer(&mut self, offer: MatchOffered) -> Option<Event> {
        let match_id = offer.r#match.clone();
        let offer = Arc::new(offer);
        if let Some(known) = self.tables.get_mut(&match_id) {
            // Offered again after a reconnect. What the bot had said about it is in the outbox already.
            known.offer = offer;
            return None;
        }
        let table = Table { offer: offer.clone(), is_ready: false, phase: Phase::Settled, decision: None, intent: None };
        self.tables.insert(match_id.clone(), table);
        self.order.push(match_id);
        Some(Event::Offered(offer))
    }

    fn take_decision(&mut self, message: crate::protocol::Decision) -> Option<Event> {
        let Some(table) = self.tables.get_mut(&message.r#match) else {
            tracing::warn!(match_id = message.r#match, "a decision of a match that was never offered or is over");
            return None;
        };
        if message.decision <= table.number() {
            // Delivered twice: the bot is thinking about it, or its answer is on its way, or it is over.
            return None;
        }
        // If the one before it was sent, it is over, and its reply was lost.
        table.intent = None;
        table.phase = Phase::Given;
        let decision = Decision::new(message, table.offer.clone(), &self.randomness);
        table.decision = Some(decision.clone());
        Some(Event::Decision(Box::new(decision)))
    }

    fn take_accepted(&mut self, accepted: &ChoiceAccepted) {
        if let Some(table) = self.table_of(&accepted.r#match, &accepted.request_id) {
            table.intent = None;
            table.phase = Phase::Settled;
            self.accepted += 1;
        }
    }

    fn take_refused(&mut self, refused: ChoiceRefused) -> Option<Event> {
        let table = self.table_of(&refused.r#match, &refused.request_id)?;
        let intent = table.intent.as_mut().expect("it has this request id");
        let reason = ErrorReason::try_from(refused.reason).unwrap_or_default();
        if says_nothing_about_the_answer(reason) && intent.retries < RETRIES_MAX {
            intent.retries += 1;
            self.postponed.push(refused.r#match);
            return None;
        }
        // `corrections_left` counts those after the next one, so that 0 does not say whether there is a next one. Trying costs
        // nothing: an answer too many is refused without any effect.
        let correctable = matches!(reason, ErrorReason::ChoiceMalformed | ErrorReason::ChoiceIllegal);
        table.intent = None;
        table.phase = if correctable { Phase::Given } else { Phase::Settled };
        if reason == ErrorReason::DecisionStale {
            // Usual where several streams of one bot answer, or where the reply to this very answer was lost.
            tracing::info!(match_id = refused.r#match, decision = refused.decision, "a decision was answered already");
            return None;
        }
        let decision = table.decision.clone().expect("it was answered");
        Some(Event::Refused(Box::new(Refusal { decision, message: refused, correctable })))
    }

    fn take_ended(&mut self, ended: MatchEnded) -> Option<Event> {
        self.tables.remove(&ended.r#match)?;
        self.order.retain(|match_id| *match_id != ended.r#match);
        self.readies.retain(|match_id| *match_id != ended.r#match);
        Some(Event::Ended(ended))
    }

    /// The table whose latest answer has this request id; `None` for a reply to anything else.
    fn table_of(&mut self, match_id: &str, request_id: &[u8]) -> Option<&mut Table> {
        let table = self.tables.get_mut(match_id)?;
        (table.intent.as_ref()?.choice.request_id == request_id).then_some(table)
    }
}

/// Whether an answer that was refused for this reason is sent again, with the same request id.
fn says_nothing_about_the_answer(reason: ErrorReason) -> bool {
    matches!(reason, ErrorReason::LogUnavailable | ErrorReason::Internal | ErrorReason::RateLimited | ErrorReason::Draining)
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
