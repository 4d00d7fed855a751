//! How to play.

use std::future::Future;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::IntoAnswer;
use crate::backoff::Backoff;
use crate::client::Client;
use crate::decision::Decision;
use crate::errors::{invalid, BoxError, Error};
use crate::play::{self, Choose, Summary};
use crate::protocol::{Hello, MatchEnded, MatchNews, MatchOffered};
use crate::settings::{Given, Settings};
use crate::PROTOCOL_VERSION;

/// What happens when something went wrong in one decision.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Reaction {
    /// Log it and, once in a decision, answer with the first legal action.
    #[default]
    AnswerFirstLegal,
    /// End the bot with the error.
    Fail,
}

pub(crate) type WarmUp = Arc<dyn Fn(&MatchOffered) -> Result<(), BoxError> + Send + Sync>;
pub(crate) type Hear<T> = Box<dyn Fn(&T) + Send + Sync>;

/// How to play. Everything may be left out.
///
/// ```no_run
/// # fn main() -> std::process::ExitCode {
/// cutpurse_sdk::Options::new().seed("repeatable").matches(10).main(|decision: cutpurse_sdk::Decision| decision.legal[0].clone())
/// # }
/// ```
pub struct Options {
    given: Given,
    bot: String,
    pub(crate) matches: Option<u64>,
    pub(crate) concurrency: usize,
    wants_legal_actions: bool,
    wants_news: bool,
    pub(crate) on_match: Option<WarmUp>,
    pub(crate) on_news: Option<Hear<MatchNews>>,
    pub(crate) on_ended: Option<Hear<MatchEnded>>,
    pub(crate) on_refused: Reaction,
    pub(crate) on_error: Reaction,
    patience: Duration,
    backoff: Backoff,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            given: Given::default(),
            bot: String::new(),
            matches: None,
            concurrency: 0,
            wants_legal_actions: false,
            wants_news: false,
            on_match: None,
            on_news: None,
            on_ended: None,
            on_refused: Reaction::AnswerFirstLegal,
            on_error: Reaction::Fail,
            patience: Duration::from_secs(60),
            backoff: Backoff::default(),
        }
    }
}

impl Options {
    /// Nothing is set: address and token come from the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the service is: `host:port` or `unix:/path`; else `CUTPURSE_ADDRESS`.
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.given.address = Some(address.into());
        self
    }

    /// Who the bot is; else `CUTPURSE_TOKEN`. Whoever reads it can play in its name.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.given.token = Some(token.into());
        self
    }

    /// The file with the service's certificate authority, PEM; else `CUTPURSE_CA`. Without one the SDK speaks only to its own
    /// machine.
    pub fn ca(mut self, path: impl Into<PathBuf>) -> Self {
        self.given.ca = Some(path.into());
        self
    }

    /// Makes `Decision::random` repeatable; else `CUTPURSE_SEED`; else every process plays differently.
    pub fn seed(mut self, seed: impl Into<String>) -> Self {
        self.given.seed = Some(seed.into());
        self
    }

    /// The bot's name as it is registered; left out, the token says it.
    pub fn bot(mut self, name: impl Into<String>) -> Self {
        self.bot = name.into();
        self
    }

    /// End after so many matches, at least 1; left out: never.
    pub fn matches(mut self, matches: u64) -> Self {
        self.matches = Some(matches);
        self
    }

    /// How many calls of the bot run at once, over all matches. With 1 a match waits while the bot thinks about another, with its
    /// clock running. Left out, or 0: no bound.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls;
        self
    }

    /// Ask for [`Decision::legal_actions`].
    pub fn legal_actions(mut self, wanted: bool) -> Self {
        self.wants_legal_actions = wanted;
        self
    }

    /// Ask for what everybody may know, as it happens, in a loop of one's own; [`on_news`](Self::on_news) does it otherwise.
    pub fn news(mut self, wanted: bool) -> Self {
        self.wants_news = wanted;
        self
    }

    /// Called once for every match before the bot says that it is ready: to warm up, outside the clock. It runs in a thread of its
    /// own; an error ends the bot.
    pub fn on_match(mut self, warm_up: impl Fn(&MatchOffered) -> Result<(), BoxError> + Send + Sync + 'static) -> Self {
        self.on_match = Some(Arc::new(warm_up));
        self
    }

    /// Called with what everybody may know, as it happens. It holds up everything else, so it should be quick.
    pub fn on_news(mut self, hear: impl Fn(&MatchNews) + Send + Sync + 'static) -> Self {
        self.on_news = Some(Box::new(hear));
        self.wants_news = true;
        self
    }

    /// Called when a match is over. It holds up everything else, so it should be quick.
    pub fn on_ended(mut self, hear: impl Fn(&MatchEnded) + Send + Sync + 'static) -> Self {
        self.on_ended = Some(Box::new(hear));
        self
    }

    /// What to do about a choice that the service did not take; default [`Reaction::AnswerFirstLegal`].
    pub fn on_refused(mut self, reaction: Reaction) -> Self {
        self.on_refused = reaction;
        self
    }

    /// What to do about an error that the bot returns, or a panic; default [`Reaction::Fail`].
    pub fn on_error(mut self, reaction: Reaction) -> Self {
        self.on_error = reaction;
        self
    }

    /// How long the service may be out of reach before [`Error::ServiceUnreachable`]; default one minute.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The pauses between attempts to reach the service.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// A connection for a loop of one's own. Options about functions to call have no effect then.
    ///
    /// # Errors
    /// [`Error::SettingsInvalid`] for what is missing or cannot be used.
    pub fn connect(&self) -> Result<Client, Error> {
        if self.matches == Some(0) {
            return Err(invalid("matches(0): at least 1, or leave it out for no end"));
        }
        let settings = Settings::resolve(&self.given, |variable| std::env::var(variable).ok())?;
        let hello = Hello {
            protocol_version: PROTOCOL_VERSION,
            bot: self.bot.clone(),
            sdk: concat!("cutpurse-sdk-rust/", env!("CARGO_PKG_VERSION")).to_owned(),
            wants_legal_actions: self.wants_legal_actions,
            wants_resolved: self.wants_news,
            ..Hello::default()
        };
        Ok(Client::new(settings, hello, self.patience, self.backoff))
    }

    /// The whole of a bot's main function: it plays until SIGINT or SIGTERM, or the service stops for good, or the matches asked
    /// for are over.
    ///
    /// `choose` runs in threads, one call at a time for each match. A first signal ends in good order: what was answered is brought
    /// home. A second one ends the program at once. An error is printed, and the exit code is 2 for settings that cannot be used
    /// and 1 for everything else.
    pub fn main<A, F>(self, choose: F) -> ExitCode
    where
        A: IntoAnswer + Send + 'static,
        F: Fn(Decision) -> A + Send + Sync + 'static,
    {
        play::main(self, play::in_a_thread(choose))
    }

    /// Like [`main`](Self::main), for an asynchronous `choose`, which must not hold up its thread.
    pub fn main_async<A, F>(self, choose: F) -> ExitCode
    where
        A: Future<Output: IntoAnswer> + Send + 'static,
        F: Fn(Decision) -> A + Send + Sync + 'static,
    {
        play::main(self, play::in_a_task(choose))
    }

    /// Plays inside a runtime of the author's until `stop` is done, or the matches asked for are over, or the service stops for
    /// good. Signals are left alone. `choose` runs in threads, one call at a time for each match.
    ///
    /// # Errors
    /// Any [`Error`]; see there.
    pub async fn run<A, F>(self, choose: F, stop: impl Future<Output = ()>) -> Result<Summary, Error>
    where
        A: IntoAnswer + Send + 'static,
        F: Fn(Decision) -> A + Send + Sync + 'static,
    {
        self.run_choose(play::in_a_thread(choose), stop).await
    }

    /// Like [`run`](Self::run), for an asynchronous `choose`, which must not hold up its thread.
    ///
    /// # Errors
    /// Any [`Error`]; see there.
    pub async fn run_async<A, F>(self, choose: F, stop: impl Future<Output = ()>) -> Result<Summary, Error>
    where
        A: Future<Output: IntoAnswer> + Send + 'static,
        F: Fn(Decision) -> A + Send + Sync + 'static,
    {
        self.run_choose(play::in_a_task(choose), stop).await
    }

    pub(crate) async fn run_choose(self, choose: Choose, stop: impl Future<Output = ()>) -> Result<Summary, Error> {
        let client = self.connect()?;
        play::Player::new(self, choose, client).play(stop).await
    }
}
