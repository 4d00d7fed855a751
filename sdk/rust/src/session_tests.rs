//! Every order in which things can be lost, doubled or cut off, as plain calls.

use super::*;
use crate::protocol::{choice, Draining};

fn offered(match_id: &str) -> ConnectResponse {
    let offer = MatchOffered { r#match: match_id.to_owned(), players: 3, ..Default::default() };
    ConnectResponse { offers: vec![offer], ..Default::default() }
}

fn asked(match_id: &str, number: u32) -> ConnectResponse {
    let decision = crate::protocol::Decision {
        r#match: match_id.to_owned(),
        decision: number,
        legal: vec!["this".to_owned(), "that".to_owned()],
        ..Default::default()
    };
    ConnectResponse { decisions: vec![decision], ..Default::default() }
}

fn accepted(choice: &Choice) -> ConnectResponse {
    let accepted =
        ChoiceAccepted { r#match: choice.r#match.clone(), request_id: choice.request_id.clone(), ..Default::default() };
    ConnectResponse { accepted: vec![accepted], ..Default::default() }
}

fn refused(choice: &Choice, reason: ErrorReason) -> ConnectResponse {
    let refused = ChoiceRefused {
        r#match: choice.r#match.clone(),
        decision: choice.decision,
        request_id: choice.request_id.clone(),
        reason: reason as i32,
        ..Default::default()
    };
    ConnectResponse { refused: vec![refused], ..Default::default() }
}

fn ended(match_id: &str) -> ConnectResponse {
    ConnectResponse { ended: vec![MatchEnded { r#match: match_id.to_owned(), ..Default::default() }], ..Default::default() }
}

fn decision_of(events: Vec<Event>) -> Decision {
    match events.into_iter().next() {
        Some(Event::Decision(decision)) => *decision,
        other => panic!("no decision, but {other:?}"),
    }
}

/// A session that was asked once and has answered with index 1; and that answer.
fn answered() -> (Session, Decision, Choice) {
    let mut session = Session::new(Randomness::new(Some("test")));
    session.receive(offered("m"));
    let decision = decision_of(session.receive(asked("m", 1)));
    assert!(session.answer(&decision, Answer::Index(1)).expect("it is an answer"));
    let choice = said(&mut session).expect("there is something to say");
    (session, decision, choice)
}

fn said(session: &mut Session) -> Option<Choice> {
    session.next_frame().and_then(|frame| frame.choices.into_iter().next())
}

#[test]
fn an_answer_is_said_once_and_settled_by_its_reply() {
    let (mut session, decision, choice) = answered();
    assert_eq!((choice.decision, choice.answer.clone()), (1, Some(choice::Answer::Index(1))));
    assert_eq!((said(&mut session), session.owed()), (None, 1));
    session.receive(accepted(&choice));
    assert_eq!((session.owed(), session.accepted, session.is_open(&decision)), (0, 1, false));
}

#[test]
fn a_reply_that_comes_twice_counts_once() {
    let (mut session, _, choice) = answered();
    session.receive(accepted(&choice));
    session.receive(accepted(&choice));
    assert_eq!(session.accepted, 1);
    assert!(session.receive(refused(&choice, ErrorReason::ChoiceIllegal)).is_empty());
}

#[test]
fn what_has_no_reply_is_said_again_with_the_same_id() {
    let (mut session, _, choice) = answered();
    for _ in 0..3 {
        session.begin_stream();
        assert_eq!(said(&mut session), Some(choice.clone()));
    }
    session.receive(accepted(&choice));
    session.begin_stream();
    assert_eq!(said(&mut session), None);
}

#[test]
fn a_decision_that_is_asked_again_is_not_decided_again() {
    let (mut session, decision, choice) = answered();
    assert!(session.receive(asked("m", 1)).is_empty());
    assert!(!session.answer(&decision, Answer::Index(0)).expect("too late is no error"));
    session.receive(accepted(&choice));
    assert!(session.receive(asked("m", 1)).is_empty());
}

#[test]
fn the_next_decision_settles_the_one_before_whose_reply_was_lost() {
    let (mut session, _, first) = answered();
    let next = decision_of(session.receive(asked("m", 2)));
    session.begin_stream();
    assert_eq!(said(&mut session), None);
    session.answer(&next, Answer::Index(0)).expect("it is an answer");
    assert_ne!(said(&mut session).expect("it is said").request_id, first.request_id);
    assert!(session.receive(asked("m", 1)).is_empty(), "an older one is not looked at again");
}

#[test]
fn a_correction_has_a_new_id() {
    let (mut session, decision, choice) = answered();
    let events = session.receive(refused(&choice, ErrorReason::ChoiceIllegal));
    assert!(matches!(&events[..], [Event::Refused(refusal)] if refusal.correctable));
    assert!(session.answer(&decision, Answer::Notation("this".to_owned())).expect("it is an answer"));
    assert_ne!(said(&mut session).expect("it is said").request_id, choice.request_id);
}

#[test]
fn a_refusal_for_good_waits_for_the_next_decision() {
    for reason in [ErrorReason::CorrectionsUsedUp, ErrorReason::TimeOver, ErrorReason::MatchOver] {
        let (mut session, decision, choice) = answered();
        let events = session.receive(refused(&choice, reason));
        assert!(matches!(&events[..], [Event::Refused(refusal)] if !refusal.correctable));
        assert!(!session.answer(&decision, Answer::Index(0)).expect("too late is no error"));
    }
}

#[test]
fn a_decision_that_was_answered_elsewhere_is_no_event() {
    let (mut session, _, choice) = answered();
    assert!(session.receive(refused(&choice, ErrorReason::DecisionStale)).is_empty());
    assert_eq!(session.owed(), 0);
}

#[test]
fn an_answer_that_could_not_be_written_down_is_sent_again_after_the_pause() {
    let (mut session, _, choice) = answered();
    assert!(session.receive(refused(&choice, ErrorReason::LogUnavailable)).is_empty());
    assert_eq!((said(&mut session), session.postponed_tries()), (None, Some(1)));
    session.send_postponed();
    assert_eq!((said(&mut session), session.postponed_tries()), (Some(choice), None));
}

#[test]
fn an_answer_is_not_sent_again_for_ever() {
    let (mut session, _, choice) = answered();
    for _ in 0..RETRIES_MAX {
        assert!(session.receive(refused(&choice, ErrorReason::Internal)).is_empty());
        session.send_postponed();
        assert!(said(&mut session).is_some());
    }
    assert_eq!(session.receive(refused(&choice, ErrorReason::Internal)).len(), 1);
    assert_eq!(session.owed(), 0);
}

#[test]
fn a_match_that_ends_takes_everything_of_it_along() {
    let (mut session, decision, choice) = answered();
    assert!(matches!(&session.receive(ended("m"))[..], [Event::Ended(_)]));
    assert!(session.receive(ended("m")).is_empty());
    assert!(session.receive(accepted(&choice)).is_empty());
    assert!(session.receive(asked("m", 2)).is_empty());
    assert!(!session.answer(&decision, Answer::Index(0)).expect("too late is no error"));
    session.begin_stream();
    assert!(session.next_frame().is_none());
    assert!(session.running().is_empty() && !session.is_busy());
}

#[test]
fn a_match_is_offered_once_and_its_readiness_said_again_until_it_asks() {
    let mut session = Session::new(Randomness::new(None));
    assert!(matches!(&session.receive(offered("m"))[..], [Event::Offered(_)]));
    session.ready("m");
    assert_eq!(session.next_frame().expect("there is a Ready").readies.len(), 1);
    session.begin_stream();
    assert!(session.receive(offered("m")).is_empty());
    assert_eq!(session.next_frame().expect("it is said again").readies.len(), 1);
    session.receive(asked("m", 1));
    session.begin_stream();
    assert!(session.next_frame().is_none());
}

#[test]
fn an_index_that_is_none_is_not_sent() {
    let mut session = Session::new(Randomness::new(None));
    session.receive(offered("m"));
    let decision = decision_of(session.receive(asked("m", 1)));
    assert!(matches!(session.answer(&decision, Answer::Index(2)), Err(Error::AnswerInvalid { .. })));
    assert!(session.next_frame().is_none() && session.is_open(&decision));
}

#[test]
fn a_frame_holds_what_the_service_reads_and_the_rest_follows() {
    let mut session = Session::new(Randomness::new(None));
    session.frame_bytes_max = 300;
    for number in 0..600 {
        let match_id = format!("m{number}");
        session.receive(offered(&match_id));
        session.ready(&match_id);
    }
    let readies: Vec<_> = std::iter::from_fn(|| session.next_frame()).map(|frame| frame.readies.len()).collect();
    assert_eq!(readies, [256, 256, 88]);
    for number in 0..20 {
        let decision = decision_of(session.receive(asked(&format!("m{number}"), 1)));
        session.answer(&decision, Answer::Index(0)).expect("it is an answer");
    }
    let frames: Vec<_> = std::iter::from_fn(|| session.next_frame()).collect();
    assert!(frames.len() > 1 && frames.iter().all(|frame| frame.encoded_len() <= 300));
    assert_eq!(frames.iter().map(|frame| frame.choices.len()).sum::<usize>(), 20);
}

#[test]
fn unknown_reasons_and_empty_frames_are_survived() {
    let (mut session, _, choice) = answered();
    assert!(session.receive(ConnectResponse::default()).is_empty());
    let mut frame = refused(&choice, ErrorReason::Unspecified);
    frame.refused[0].reason = 9_999;
    assert!(matches!(&session.receive(frame)[..], [Event::Refused(refusal)] if !refusal.correctable));
}

#[test]
fn draining_is_over_with_the_next_stream() {
    let (mut session, _, _) = answered();
    session.receive(ConnectResponse { draining: Some(Draining {}), ..Default::default() });
    assert!(session.is_draining && session.is_busy());
    session.begin_stream();
    assert!(!session.is_draining);
}
