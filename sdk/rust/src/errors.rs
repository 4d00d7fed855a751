//! Everything that the SDK reports on purpose.

use std::time::Duration;

use tonic::{Code, Status};

use crate::protocol::{ChoiceRefused, ErrorReason};

/// Any error of an author's own.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a bot came to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address, a token, a certificate or an option is missing or cannot be used; nothing was sent.
    #[error("{0}")]
    SettingsInvalid(String),
    /// What the bot said is no answer to the decision. It was not sent.
    #[error("{text} is no answer to {decision}: give one of its legal actions, an index or an action")]
    AnswerInvalid {
        /// What is wrong with the answer.
        text: String,
        /// What was to be answered, for people.
        decision: String,
    },
    /// The bot's function returned an error, or panicked.
    #[error("choose failed for {decision}: {source}")]
    ChoiceFailed {
        /// What was to be answered, for people.
        decision: String,
        /// What it returned.
        source: BoxError,
    },
    /// Warming up for a match failed.
    #[error("warming up for match {name}: {source}")]
    WarmUpFailed {
        /// The match.
        name: String,
        /// What the function given to `on_match` returned.
        source: BoxError,
    },
    /// The service refused the stream, and trying again would not help.
    #[error("the service refused ({code:?}, {}): {text}", reason_name(*reason as i32))]
    ServiceRefused {
        /// The gRPC status.
        code: Code,
        /// Why; unspecified where the service named no reason, or one that this SDK does not know.
        reason: ErrorReason,
        /// One sentence for people, from the service.
        text: String,
    },
    /// The service could not be reached, or not be kept, until the patience was over.
    #[error("{address} was out of reach for {} s: {text}", down.as_secs())]
    ServiceUnreachable {
        /// Where it should have been.
        address: String,
        /// For how long it was out of reach.
        down: Duration,
        /// How the last attempt failed.
        text: String,
    },
    /// The service refused a choice, and [`Reaction::Fail`](crate::Reaction::Fail) was asked for.
    #[error("match {}, decision {}: {}: {}", .0.r#match, .0.decision, reason_name(.0.reason), .0.text)]
    ChoiceNotTaken(ChoiceRefused),
    /// The decision has no form that was asked for.
    #[error("{0}")]
    DecisionUnreadable(String),
}

pub(crate) fn invalid(text: impl Into<String>) -> Error {
    Error::SettingsInvalid(text.into())
}

const REASON_PREFIX: &str = "ERROR_REASON_";

/// The trailing metadata in which the service names the reason as text, beside the `ErrorInfo` of richer clients.
const REASON_KEY: &str = "cutpurse-reason";

/// The short text of a reason, such as `DECISION_STALE`; the number of one that this SDK does not know.
pub fn reason_name(reason: i32) -> String {
    match ErrorReason::try_from(reason) {
        Ok(known) => known.as_str_name().trim_start_matches(REASON_PREFIX).to_owned(),
        Err(_) => reason.to_string(),
    }
}

/// What a failed call means: a refusal that will not change, or `None` if dialling in again may help.
pub(crate) fn refused_for_good(status: &Status) -> Option<Error> {
    let name = status.metadata().get(REASON_KEY).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if is_passing(name, status.code()) {
        return None;
    }
    let reason = ErrorReason::from_str_name(&format!("{REASON_PREFIX}{name}")).unwrap_or_default();
    let text = if status.message().is_empty() { "no details" } else { status.message() };
    Some(Error::ServiceRefused { code: status.code(), reason, text: text.to_owned() })
}

/// Whether a failure may be gone a moment later, so that it is worth dialling in again.
fn is_passing(name: &str, code: Code) -> bool {
    if !name.is_empty() {
        let passing = ["READER_TOO_SLOW", "TOO_MANY_STREAMS", "RATE_LIMITED", "DRAINING", "LOG_UNAVAILABLE", "INTERNAL"];
        return passing.contains(&name);
    }
    // These name no reason, because they come from the connection or from something in between.
    matches!(
        code,
        Code::Unavailable
            | Code::Aborted
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::Internal
            | Code::Unknown
            | Code::ResourceExhausted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: Code, reason: &str) -> Status {
        let mut status = Status::new(code, "no");
        if !reason.is_empty() {
            status.metadata_mut().insert(REASON_KEY, reason.parse().expect("a reason is plain text"));
        }
        status
    }

    #[test]
    fn a_token_that_is_refused_will_not_be_taken_later() {
        let error = refused_for_good(&refused(Code::Unauthenticated, "TOKEN_INVALID")).expect("it is for good");
        assert!(matches!(error, Error::ServiceRefused { reason: ErrorReason::TokenInvalid, .. }));
        assert!(error.to_string().contains("TOKEN_INVALID"));
    }

    #[test]
    fn a_reason_decides_before_the_status_does() {
        assert!(refused_for_good(&refused(Code::ResourceExhausted, "TOO_LARGE")).is_some());
        assert!(refused_for_good(&refused(Code::FailedPrecondition, "DRAINING")).is_none());
    }

    #[test]
    fn a_broken_connection_passes_and_a_strange_service_does_not() {
        assert!(refused_for_good(&refused(Code::Unavailable, "")).is_none());
        assert!(refused_for_good(&refused(Code::Unimplemented, "")).is_some());
    }

    #[test]
    fn a_reason_of_a_newer_service_keeps_its_number() {
        assert_eq!(reason_name(ErrorReason::DecisionStale as i32), "DECISION_STALE");
        assert_eq!(reason_name(9_999), "9999");
        let error = refused_for_good(&refused(Code::NotFound, "FROM_THE_FUTURE")).expect("it is for good");
        assert!(matches!(error, Error::ServiceRefused { reason: ErrorReason::Unspecified, .. }));
    }
}
