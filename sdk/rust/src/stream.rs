//! One open stream to the service.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{timeout, Instant};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};

use crate::errors::{invalid, refused_for_good, Error};
use crate::protocol::bot_service_client::BotServiceClient;
use crate::protocol::match_service_client::MatchServiceClient;
use crate::protocol::{
    ConnectRequest, ConnectResponse, ErrorReason, GetMatchRequest, Hello, MatchEnded, MatchOffered, MatchPhase, VoidCause,
};
use crate::settings::Settings;
use crate::{PROTOCOL_VERSION, WELCOME_WAIT};

/// How long the service may take to say whether a match is over.
const ASK_WAIT: Duration = Duration::from_secs(5);
/// Of how many matches it is asked at once.
const ASK_AT_ONCE: usize = 16;
/// What the service may send in one frame: one of many views may be larger than gRPC's 4 MiB.
const FRAME_BYTES_READ_MAX: usize = 64 * 1024 * 1024;

/// Why there is no stream.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It will not pass.
    ForGood(Error),
    /// It may be gone a moment later; what it looked like, for people.
    Passing(String),
}

impl From<Status> for Broken {
    fn from(status: Status) -> Self {
        match refused_for_good(&status) {
            Some(error) => Self::ForGood(error),
            None => Self::Passing(format!("{:?}: {}", status.code(), status.message())),
        }
    }
}

pub(crate) struct Stream {
    pub incoming: Streaming<ConnectResponse>,
    /// `None` when nothing more will be said: the stream is half closed.
    pub outgoing: Option<mpsc::Sender<ConnectRequest>>,
    pub since: Instant,
}

/// Dials in, waits for Welcome and asks for the ends of those running matches that nobody would tell of. Returns the stream and
/// its first frame.
pub(crate) async fn dial(
    settings: Settings,
    hello: Hello,
    running: Vec<Arc<MatchOffered>>,
) -> Result<(Stream, ConnectResponse), Broken> {
    let greeting = timeout(WELCOME_WAIT, greet(&settings, hello));
    let (channel, stream, mut frame) = greeting.await.map_err(|_| Broken::Passing("no Welcome in time".to_owned()))??;
    frame.ended.extend(ends_of(&channel, &settings.token, running).await?);
    Ok((stream, frame))
}

async fn greet(settings: &Settings, hello: Hello) -> Result<(Channel, Stream, ConnectResponse), Broken> {
    let channel = settings.connect().await.map_err(|error| Broken::Passing(whole_text(&error)))?;
    // One frame on its way and one that fills meanwhile: answers given until then share it.
    let (outgoing, frames) = mpsc::channel(1);
    let hello = ConnectRequest { hello: Some(hello), ..Default::default() };
    outgoing.send(hello).await.expect("its other end is here");
    let mut client = BotServiceClient::new(channel.clone()).max_decoding_message_size(FRAME_BYTES_READ_MAX);
    let request = authorized(ReceiverStream::new(frames), &settings.token)?;
    let mut incoming = client.connect(request).await?.into_inner();
    let frame = incoming.message().await?;
    let frame = frame.ok_or_else(|| Broken::Passing("the service ended the stream before Welcome".to_owned()))?;
    check_welcome(&frame)?;
    Ok((channel, Stream { incoming, outgoing: Some(outgoing), since: Instant::now() }, frame))
}

fn authorized<T>(message: T, token: &str) -> Result<Request<T>, Broken> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {token}").parse().map_err(|_| Broken::ForGood(invalid("the token cannot stand in a header")))?;
    request.metadata_mut().insert("authorization", bearer);
    Ok(request)
}

/// Demands that the service speaks our version.
fn check_welcome(frame: &ConnectResponse) -> Result<(), Broken> {
    let refused = |code, reason, text| Err(Broken::ForGood(Error::ServiceRefused { code, reason, text }));
    match &frame.welcome {
        None => {
            let text = "the service's first frame holds no Welcome; is it a Cutpurse service?".to_owned();
            refused(Code::Unknown, ErrorReason::Malformed, text)
        }
        Some(welcome) if welcome.protocol_version != PROTOCOL_VERSION => {
            let text = format!("it speaks protocol version {}, this SDK {PROTOCOL_VERSION}", welcome.protocol_version);
            refused(Code::FailedPrecondition, ErrorReason::ProtocolUnsupported, text)
        }
        Some(_) => Ok(()),
    }
}

/// The ends of those matches that are over. A match that ends while its bot has no stream is not offered again, and no frame
/// says that it is over.
async fn ends_of(channel: &Channel, token: &str, running: Vec<Arc<MatchOffered>>) -> Result<Vec<MatchEnded>, Broken> {
    let mut ends = Vec::new();
    for some in running.chunks(ASK_AT_ONCE) {
        let mut asking = JoinSet::new();
        for offer in some {
            let request = authorized(GetMatchRequest { r#match: offer.r#match.clone() }, token)?;
            asking.spawn(end_of(channel.clone(), request, offer.clone()));
        }
        ends.extend(asking.join_all().await.into_iter().flatten());
    }
    Ok(ends)
}

/// `None` while the match runs, or if the service does not tell.
async fn end_of(channel: Channel, request: Request<GetMatchRequest>, offer: Arc<MatchOffered>) -> Option<MatchEnded> {
    let mut client = MatchServiceClient::new(channel);
    let found = timeout(ASK_WAIT, client.get_match(request)).await.ok()?;
    let mut ended = MatchEnded { r#match: offer.r#match.clone(), seat: offer.seat, ..MatchEnded::default() };
    match found {
        // A service that forgot the match, because its log was lost, cannot go on with it.
        Err(status) if status.code() == Code::NotFound => ended.set_void_cause(VoidCause::Platform),
        Err(_) => return None,
        Ok(found) => {
            let found = found.into_inner();
            match found.phase() {
                MatchPhase::Ended => ended.result = found.result,
                MatchPhase::Voided => ended.void_cause = found.void_cause,
                _ => return None,
            }
        }
    }
    Some(ended)
}

/// An error with what lies below it: a transport says only there what happened.
fn whole_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        text = format!("{text}: {cause}");
        below = cause.source();
    }
    text
}
