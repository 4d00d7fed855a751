//! Carries decisions to the bot's function and its answers back.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::sync::{Mutex, Semaphore};
use tokio::task::{AbortHandle, JoinSet};

use crate::answer::{Answer, IntoAnswer};
use crate::client::{Client, Ending};
use crate::decision::Decision;
use crate::errors::{reason_name, BoxError, Error};
use crate::options::{Options, Reaction};
use crate::protocol::{MatchEnded, MatchOffered};
use crate::session::{Event, Refusal};
use crate::warnings;

/// A bot that plays for weeks keeps the results of its latest matches only.
const RESULTS_KEPT_MAX: usize = 10_000;

type Answering = Pin<Box<dyn Future<Output = Result<Answer, BoxError>> + Send>>;

/// The bot's function in the one form that is used inside.
pub(crate) type Choose = Arc<dyn Fn(Decision) -> Answering + Send + Sync>;

pub(crate) fn in_a_thread<A, F>(choose: F) -> Choose
where
    A: IntoAnswer + Send + 'static,
    F: Fn(Decision) -> A + Send + Sync + 'static,
{
    let choose = Arc::new(choose);
    Arc::new(move |decision| {
        let choose = choose.clone();
        Box::pin(async move {
            let thread = tokio::task::spawn_blocking(move || choose(decision).into_answer());
            // Its text says that it panicked; where, the thread has printed.
            thread.await?
        })
    })
}

pub(crate) fn in_a_task<A, F>(choose: F) -> Choose
where
    A: Future<Output: IntoAnswer> + Send + 'static,
    F: Fn(Decision) -> A + Send + Sync + 'static,
{
    let choose = Arc::new(choose);
    Arc::new(move |decision| {
        let choose = choose.clone();
        Box::pin(async move {
            // A task of its own, so that a panic is an error like any other; it ends with the set, if nobody needs its answer.
            let mut thinking = JoinSet::new();
            thinking.spawn(async move { choose(decision).await.into_answer() });
            thinking.join_next().await.expect("it was spawned")?
        })
    })
}

/// What became of a bot's time at the tables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The bot's name as the service knows it.
    pub bot: String,
    /// Why it came to an end.
    pub ending: Ending,
    /// Matches that are over.
    pub matches: u64,
    /// Choices of the bot that are in the log.
    pub decisions: u64,
    /// Choices that were not taken, those included that were put right.
    pub refused: u64,
    /// The ends of the latest matches, at most 10,000, in the order in which they came.
    pub results: Vec<MatchEnded>,
}

/// What the author's functions came to.
enum Done {
    Warm(Arc<MatchOffered>, Result<(), BoxError>),
    Thought(Box<Decision>, Result<Answer, BoxError>),
}

/// Where the calls for one match wait for each other.
#[derive(Default)]
struct Seat {
    turn: Arc<Mutex<()>>,
    /// The latest call; what it thinks about is given up when something newer comes.
    latest: Option<AbortHandle>,
}

pub(crate) struct Player {
    options: Options,
    choose: Choose,
    client: Client,
    calls: JoinSet<Done>,
    turns: Option<Arc<Semaphore>>,
    seats: HashMap<String, Seat>,
    /// By match, the decision in which the first legal action was sent already in place of a refused one.
    defaulted: HashMap<String, u32>,
    matches: u64,
    refused: u64,
    results: Vec<MatchEnded>,
}

impl Player {
    pub fn new(options: Options, choose: Choose, client: Client) -> Self {
        let turns = (options.concurrency > 0).then(|| Arc::new(Semaphore::new(options.concurrency)));
        Self {
            options,
            choose,
            client,
            calls: JoinSet::new(),
            turns,
            seats: HashMap::new(),
            defaulted: HashMap::new(),
            matches: 0,
            refused: 0,
            results: Vec::new(),
        }
    }

    /// Carries events to where they belong, until the end.
    pub async fn play(mut self, stop: impl Future<Output = ()>) -> Result<Summary, Error> {
        let mut stop = std::pin::pin!(stop);
        loop {
            let outcome = tokio::select! {
                event = self.client.next() => match event? {
                    Some(event) => self.take(event),
                    None => return Ok(self.summary()),
                },
                Some(done) = self.calls.join_next() => match done {
                    Ok(done) => self.conclude(done),
                    Err(failed) if failed.is_cancelled() => Ok(()),
                    // What the author's functions do arrives as an outcome, so this panic is the SDK's own.
                    Err(failed) => std::panic::resume_unwind(failed.into_panic()),
                },
                () = &mut stop => break,
            };
            if outcome.is_err() {
                self.client.finish().await;
                outcome?;
            }
        }
        self.client.stop();
        self.client.finish().await;
        Ok(self.summary())
    }

    fn take(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::Offered(offer) => self.prepare(offer),
            Event::Decision(decision) => self.decide(*decision),
            Event::Ended(ended) => self.end(ended),
            Event::Refused(refusal) => return self.mend(*refusal),
            Event::News(news) => {
                if let Some(hear) = &self.options.on_news {
                    hear(&news);
                }
            }
        }
        Ok(())
    }

    /// Warms up for a match and says that the bot is ready.
    fn prepare(&mut self, offer: Arc<MatchOffered>) {
        let seat = Seat::default();
        let Some(warm_up) = self.options.on_match.clone() else {
            self.client.ready(&offer);
            self.seats.insert(offer.r#match.clone(), seat);
            return;
        };
        // Taken here already, so that a decision that is open since before a restart waits for the warm-up.
        let turn = seat.turn.clone().try_lock_owned().expect("nobody else knows of it yet");
        self.seats.insert(offer.r#match.clone(), seat);
        self.calls.spawn(async move {
            let warming = offer.clone();
            let warmed = tokio::task::spawn_blocking(move || warm_up(&warming)).await;
            drop(turn);
            Done::Warm(offer, warmed.unwrap_or_else(|panicked| Err(panicked.into())))
        });
    }

    /// Asks the bot; what it was thinking about the match before is out of date.
    fn decide(&mut self, decision: Decision) {
        let seat = self.seats.entry(decision.match_id.clone()).or_default();
        let (choose, turn, turns) = (self.choose.clone(), seat.turn.clone(), self.turns.clone());
        let latest = self.calls.spawn(async move {
            let _turn = turn.lock_owned().await;
            let _one_of_all = match turns {
                Some(turns) => turns.acquire_owned().await.ok(),
                None => None,
            };
            let answer = choose(decision.clone()).await;
            Done::Thought(Box::new(decision), answer)
        });
        if let Some(outdated) = seat.latest.replace(latest) {
            outdated.abort();
        }
    }

    fn conclude(&mut self, done: Done) -> Result<(), Error> {
        match done {
            Done::Warm(offer, Ok(())) => self.client.ready(&offer),
            Done::Warm(offer, Err(source)) => {
                return Err(Error::WarmUpFailed { name: offer.r#match.clone(), source });
            }
            Done::Thought(decision, answer) => {
                let failed = |source| Error::ChoiceFailed { decision: decision.to_string(), source };
                let answered = answer.map_err(failed).and_then(|answer| self.client.answer(&decision, answer));
                match answered {
                    Ok(_) => {}
                    Err(error) if self.options.on_error == Reaction::AnswerFirstLegal => {
                        tracing::error!(%error, "answering with the first legal action instead");
                        self.client.answer(&decision, Answer::Index(0))?;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// A choice was not taken.
    fn mend(&mut self, refusal: Refusal) -> Result<(), Error> {
        self.refused += 1;
        let Refusal { decision, message, correctable } = refusal;
        if self.options.on_refused == Reaction::Fail {
            return Err(Error::ChoiceNotTaken(message));
        }
        let reason = reason_name(message.reason);
        tracing::warn!(
            match_id = message.r#match,
            decision = message.decision,
            reason,
            text = message.text,
            "a choice was refused"
        );
        // One refusal of the first legal action is enough.
        if correctable && self.defaulted.insert(decision.match_id.clone(), decision.number) != Some(decision.number) {
            self.client.answer(&decision, Answer::Index(0))?;
        }
        Ok(())
    }

    /// A match is over.
    fn end(&mut self, ended: MatchEnded) {
        self.matches += 1;
        if let Some(latest) = self.seats.remove(&ended.r#match).and_then(|seat| seat.latest) {
            latest.abort();
        }
        self.defaulted.remove(&ended.r#match);
        if let Some(hear) = &self.options.on_ended {
            hear(&ended);
        }
        if self.results.len() == RESULTS_KEPT_MAX {
            self.results.drain(..RESULTS_KEPT_MAX / 10);
        }
        self.results.push(ended);
        if self.options.matches == Some(self.matches) {
            self.client.end(Ending::MatchesPlayed);
        }
    }

    fn summary(self) -> Summary {
        Summary {
            bot: self.client.bot().to_owned(),
            ending: self.client.ending().unwrap_or(Ending::Stopped),
            matches: self.matches,
            decisions: self.client.accepted(),
            refused: self.refused,
            results: self.results,
        }
    }
}

/// The whole of a bot's main function.
pub(crate) fn main(options: Options, choose: Choose) -> ExitCode {
    warnings::print_unless_heard();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("cutpurse: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let played = runtime.block_on(options.run_choose(choose, signalled()));
    // A call that still thinks would hold up the end of the program.
    runtime.shutdown_background();
    match played {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cutpurse: {error}");
            ExitCode::from(if matches!(error, Error::SettingsInvalid(_)) { 2 } else { 1 })
        }
    }
}

/// Done at the first signal to end; the second one ends the program.
async fn signalled() {
    next_signal().await;
    tokio::spawn(async {
        next_signal().await;
        std::process::exit(130);
    });
}

#[cfg(unix)]
async fn next_signal() {
    use tokio::signal::unix::{signal, SignalKind};
    let (interrupted, terminated) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupted), Ok(mut terminated)) = (interrupted, terminated) else {
        // Without handlers signals end the program as they always do.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupted.recv() => {}
        _ = terminated.recv() => {}
    }
}

#[cfg(not(unix))]
async fn next_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision() -> Decision {
        Decision::for_tests("art_robbery", &["this", "that"], None)
    }

    #[tokio::test]
    async fn a_bot_answers_in_a_thread_and_in_a_task() {
        let in_thread = in_a_thread(|decision: Decision| decision.legal[1].clone());
        let in_task = in_a_task(|decision: Decision| async move { decision.legal.len() - 1 });
        assert_eq!(in_thread(decision()).await.expect("it answers"), Answer::Notation("that".to_owned()));
        assert_eq!(in_task(decision()).await.expect("it answers"), Answer::Index(1));
    }

    #[tokio::test]
    async fn an_error_is_an_outcome_and_so_is_a_panic() {
        let failing = in_a_thread(|_: Decision| -> Result<String, &str> { Err("no idea") });
        assert_eq!(failing(decision()).await.expect_err("it fails").to_string(), "no idea");
        let panicking = |decision: Decision| decision.legal[9].clone();
        assert!(in_a_thread(panicking)(decision()).await.is_err());
        assert!(in_a_task(move |decision| async move { panicking(decision) })(decision()).await.is_err());
    }

    #[tokio::test]
    async fn what_an_asynchronous_bot_thinks_ends_when_nobody_needs_it() {
        let (alive, mut ended) = tokio::sync::mpsc::channel::<()>(1);
        let endless = in_a_task(move |_: Decision| {
            let alive = alive.clone();
            async move {
                alive.closed().await;
                "never"
            }
        });
        let thinking = tokio::spawn(endless(decision()));
        tokio::task::yield_now().await;
        thinking.abort();
        drop(endless);
        assert_eq!(ended.recv().await, None);
    }
}
