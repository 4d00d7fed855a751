//! A bot's connection, for loops of one's own.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{sleep_until, timeout_at, Instant};

use crate::answer::Answer;
use crate::backoff::Backoff;
use crate::decision::{Decision, Randomness};
use crate::errors::Error;
use crate::protocol::{ConnectResponse, Hello, MatchOffered};
use crate::session::{Event, Session};
use crate::settings::Settings;
use crate::stream::{dial, Broken, Stream};

/// How long a bot that stops waits for the replies to what it has said, and a drained stream for its end.
const GRACE: Duration = Duration::from_secs(2);
/// A stream that lasted so long, or brought anything after Welcome, was a success: the patience begins anew.
const STEADY: Duration = Duration::from_secs(5);

/// Why a bot came to its end without an error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// It was told to stop.
    Stopped,
    /// As many matches as were asked for are over.
    MatchesPlayed,
    /// The service said that it stops, and did not come back.
    ServiceDrained,
}

type Dialling = Pin<Box<dyn Future<Output = Result<(Stream, ConnectResponse), Broken>> + Send>>;

/// A bot's connection. A stream that breaks is dialled anew; no answer takes effect twice.
///
/// Made by [`Options::connect`](crate::Options::connect). It dials in with the first call of [`next`](Self::next).
pub struct Client {
    settings: Settings,
    hello: Hello,
    patience: Duration,
    backoff: Backoff,
    session: Session,
    inbox: VecDeque<Event>,
    dialling: Option<Dialling>,
    stream: Option<Stream>,
    ending: Option<Ending>,
    bot: String,
    attempt: u32,
    /// `None` while a stream is well.
    down_since: Option<Instant>,
    /// The service said that it stops, and no other has answered since.
    was_drained: bool,
    /// When a stream ends that drains or belongs to a bot that stops.
    stream_until: Option<Instant>,
    /// When the service may be able to write down what it could not.
    say_again_at: Option<Instant>,
}

impl Client {
    pub(crate) fn new(settings: Settings, hello: Hello, patience: Duration, backoff: Backoff) -> Self {
        let session = Session::new(Randomness::new(settings.seed.as_deref()));
        Self {
            settings,
            hello,
            patience,
            backoff,
            session,
            inbox: VecDeque::new(),
            dialling: None,
            stream: None,
            ending: None,
            bot: String::new(),
            attempt: 0,
            down_since: None,
            was_drained: false,
            stream_until: None,
            say_again_at: None,
        }
    }

    /// Waits for the next event. `None` at the end, and [`ending`](Self::ending) says why.
    ///
    /// Dropping its future loses nothing, so it may stand in a `select!`.
    ///
    /// # Errors
    /// [`Error::ServiceRefused`] or [`Error::ServiceUnreachable`] when the service cannot be had.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if self.ending.is_some() {
                self.finish().await;
                return Ok(None);
            }
            if let Some(event) = self.inbox.pop_front() {
                return Ok(Some(event));
            }
            if self.stream.is_some() {
                self.receive().await?;
            } else {
                self.dial().await?;
            }
        }
    }

    /// The bot is ready for a match.
    pub fn ready(&mut self, offer: &MatchOffered) {
        self.session.ready(&offer.r#match);
        self.say();
    }

    /// Answers a decision. It returns at once; what is answered while a frame is being written goes into the next one together.
    /// `false` if the decision is over or has an answer, which is no error.
    ///
    /// # Errors
    /// [`Error::AnswerInvalid`] for what is no answer to the decision.
    pub fn answer(&mut self, decision: &Decision, answer: Answer) -> Result<bool, Error> {
        let was_taken = self.session.answer(decision, answer)?;
        self.say();
        Ok(was_taken)
    }

    /// Whether a decision still waits for an answer.
    pub fn is_open(&self, decision: &Decision) -> bool {
        self.session.is_open(decision)
    }

    /// How many of the bot's choices are in the log.
    pub fn accepted(&self) -> u64 {
        self.session.accepted
    }

    /// The bot's name as the service knows it; empty before Welcome.
    pub fn bot(&self) -> &str {
        &self.bot
    }

    /// Why [`next`](Self::next) returned `None`; `None` before.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Lets [`next`](Self::next) come to its end. What was said is brought home first, for two seconds at most.
    pub fn stop(&mut self) {
        self.end(Ending::Stopped);
    }

    /// The first ending counts.
    pub(crate) fn end(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    /// Hands over what is to be said, as far as there is room for it now.
    fn say(&mut self) {
        let Some(outgoing) = self.stream.as_ref().and_then(|stream| stream.outgoing.as_ref()) else { return };
        while self.session.has_something_to_say() {
            let Ok(permit) = outgoing.try_reserve() else { return };
            if let Some(frame) = self.session.next_frame() {
                permit.send(frame);
            }
        }
    }

    /// Goes on dialling, and begins it if need be.
    async fn dial(&mut self) -> Result<(), Error> {
        if self.dialling.is_none() {
            self.dialling = Some(self.begin_dialling());
        }
        let dialling = self.dialling.as_mut().expect("it was begun above");
        let dialled = dialling.await;
        self.dialling = None;
        match dialled {
            Ok((stream, frame)) => {
                self.begin_stream(stream, frame);
                Ok(())
            }
            Err(broken) => self.judge(broken),
        }
    }

    /// Opens a stream, after a little pause unless it is the first attempt.
    fn begin_dialling(&mut self) -> Dialling {
        self.down_since.get_or_insert_with(Instant::now);
        self.attempt = self.attempt.saturating_add(1);
        let is_first = self.attempt == 1 && !self.was_drained;
        let pause = if is_first { Duration::ZERO } else { self.backoff.pause(self.attempt) };
        let (settings, hello, running) = (self.settings.clone(), self.hello.clone(), self.session.running());
        Box::pin(async move {
            tokio::time::sleep(pause).await;
            dial(settings, hello, running).await
        })
    }

    /// Goes on where the last stream broke off.
    fn begin_stream(&mut self, stream: Stream, frame: ConnectResponse) {
        self.stream = Some(stream);
        self.session.begin_stream();
        if let Some(welcome) = &frame.welcome {
            tracing::debug!(service = welcome.server, bot = welcome.bot, "connected");
            self.bot.clone_from(&welcome.bot);
            if welcome.frame_bytes_max > 0 {
                self.session.frame_bytes_max = welcome.frame_bytes_max as usize;
            }
        }
        self.inbox.extend(self.session.receive(frame));
        self.say();
    }

    /// Takes in the next frame, says what there is to say, or mends what keeps frames away.
    async fn receive(&mut self) -> Result<(), Error> {
        let Self { stream, session, stream_until, say_again_at, .. } = self;
        let stream = stream.as_mut().expect("it is open");
        if session.is_draining && !session.is_busy() {
            stream.outgoing = None;
        }
        let (until, again) = (*stream_until, *say_again_at);
        let Stream { incoming, outgoing, .. } = stream;
        let has_something_to_say = outgoing.is_some() && session.has_something_to_say();
        tokio::select! {
            frame = incoming.message() => match frame {
                Ok(Some(frame)) => {
                    self.take_in(frame);
                    Ok(())
                }
                Ok(None) => self.lost(Broken::Passing("the service ended the stream".to_owned())),
                Err(status) => self.lost(status.into()),
            },
            room = wait_for_room(outgoing.as_ref()), if has_something_to_say => {
                match room {
                    true => self.say(),
                    // Reading tells why.
                    false => *outgoing = None,
                }
                Ok(())
            }
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                self.lost(Broken::Passing("the service drained and did not end the stream".to_owned()))
            }
            () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                *say_again_at = None;
                session.send_postponed();
                self.say();
                Ok(())
            }
        }
    }

    /// Hands a frame to the session.
    fn take_in(&mut self, frame: ConnectResponse) {
        let was_draining = self.session.is_draining;
        self.inbox.extend(self.session.receive(frame));
        if let (Some(tries), None) = (self.session.postponed_tries(), self.say_again_at) {
            self.say_again_at = Some(Instant::now() + self.backoff.pause(3 + tries));
        }
        if !self.session.is_draining {
            self.attempt = 0;
            self.down_since = None;
            self.was_drained = false;
        } else if !was_draining {
            tracing::info!("the service is going to stop");
            self.was_drained = true;
            self.stream_until = Some(Instant::now() + GRACE);
        }
    }

    /// The stream is over.
    fn lost(&mut self, broken: Broken) -> Result<(), Error> {
        let is_steady = self.stream.take().is_some_and(|stream| stream.since.elapsed() > STEADY);
        self.stream_until = None;
        self.say_again_at = None;
        if is_steady && !self.session.is_draining {
            self.attempt = 0;
            self.down_since = None;
        }
        if self.session.is_draining && matches!(broken, Broken::Passing(_)) {
            return Ok(());
        }
        self.judge(broken)
    }

    /// What a failed attempt or a broken stream means: an error, or the end, or to try again.
    fn judge(&mut self, broken: Broken) -> Result<(), Error> {
        let text = match broken {
            Broken::ForGood(error) => return Err(error),
            Broken::Passing(text) => text,
        };
        let down = self.down_since.map_or(Duration::ZERO, |since| since.elapsed());
        if down < self.patience {
            if self.attempt <= 1 {
                tracing::warn!(text, "no stream, dialling in again");
            }
        } else if self.was_drained {
            self.end(Ending::ServiceDrained);
        } else {
            return Err(Error::ServiceUnreachable { address: self.settings.address.clone(), down, text });
        }
        Ok(())
    }

    /// Waits for the replies to what was said, then ends the stream.
    pub(crate) async fn finish(&mut self) {
        let until = Instant::now() + GRACE;
        while self.session.owed() > 0 {
            let Some(stream) = self.stream.as_mut() else { break };
            // A frame counts for its replies alone; a stream that breaks now is not mended.
            let Ok(Ok(Some(frame))) = timeout_at(until, stream.incoming.message()).await else { break };
            self.session.receive(frame);
            self.say();
        }
        self.stream = None;
        self.dialling = None;
    }
}

/// `false` if nothing more will be read at the other end.
async fn wait_for_room(outgoing: Option<&tokio::sync::mpsc::Sender<crate::protocol::ConnectRequest>>) -> bool {
    match outgoing {
        Some(outgoing) => outgoing.reserve().await.is_ok(),
        None => false,
    }
}
