package cutpurse

import (
	"bytes"
	"slices"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// receive takes in a frame and returns what is new in it, in the order in which it matters.
//
// The order of the parts is the order of the protocol: a reply may stand in one frame with the decision after it. Parts that
// this SDK does not know stay unread.
func (s *session) receive(frame *cutpursev1.ConnectResponse) []Event {
	var events []Event
	for _, offer := range frame.GetOffers() {
		events = s.takeOffer(events, offer)
	}
	for _, accepted := range frame.GetAccepted() {
		s.takeAccepted(accepted)
	}
	for _, refused := range frame.GetRefused() {
		events = s.takeRefused(events, refused)
	}
	for _, message := range frame.GetDecisions() {
		events = s.takeDecision(events, message)
	}
	for _, news := range frame.GetNews() {
		events = append(events, news)
	}
	for _, ended := range frame.GetEnded() {
		events = s.takeEnded(events, ended)
	}
	if frame.GetDraining() != nil {
		s.draining = true
	}
	return events
}

func (s *session) takeOffer(events []Event, offer *cutpursev1.MatchOffered) []Event {
	match := offer.GetMatch()
	if known := s.tables[match]; known != nil {
		// Offered again after a reconnect. What the bot had said about it is in the outbox already.
		known.offer = offer
		return events
	}
	s.tables[match] = &table{offer: offer}
	s.order = append(s.order, match)
	return append(events, offer)
}

func (s *session) takeDecision(events []Event, message *cutpursev1.Decision) []Event {
	table := s.tables[message.GetMatch()]
	if table == nil {
		s.log.Warn("a decision of a match that was never offered or is over",
			"match", message.GetMatch(), "decision", message.GetDecision())
		return events
	}
	if message.GetDecision() <= table.number {
		// Delivered twice: the bot is thinking about it, or its answer is on its way, or it is over.
		return events
	}
	if table.phase == sent {
		// The next decision is open, so this one is over, and its reply was lost.
		s.settle(table)
	}
	table.number = message.GetDecision()
	table.phase = given
	table.decision = newDecision(message, table.offer, s.randomness)
	return append(events, table.decision)
}

func (s *session) takeAccepted(accepted *cutpursev1.ChoiceAccepted) {
	if table := s.tableOf(accepted.GetMatch(), accepted.GetRequestId()); table != nil {
		s.settle(table)
		s.accepted++
	}
}

func (s *session) takeRefused(events []Event, refused *cutpursev1.ChoiceRefused) []Event {
	table := s.tableOf(refused.GetMatch(), refused.GetRequestId())
	if table == nil {
		return events
	}
	intent, reason := table.intent, refused.GetReason()
	if saysNothingAboutTheAnswer(reason) && intent.retries < retriesMax {
		intent.retries++
		s.postponed = append(s.postponed, intent)
		return events
	}
	s.settle(table)
	// CorrectionsLeft counts those after the next one, so that 0 does not say whether there is a next one. Trying costs
	// nothing: an answer too many is refused without any effect.
	correctable := reason == cutpursev1.ErrorReason_ERROR_REASON_CHOICE_MALFORMED ||
		reason == cutpursev1.ErrorReason_ERROR_REASON_CHOICE_ILLEGAL
	if correctable {
		table.phase = given
	} else if reason == cutpursev1.ErrorReason_ERROR_REASON_DECISION_STALE {
		// Usual where several streams of one bot answer, or where the reply to this very answer was lost.
		s.log.Info("a decision was answered already", "match", refused.GetMatch(), "decision", refused.GetDecision())
		return events
	}
	return append(events, &Refusal{Decision: table.decision, Message: refused, Correctable: correctable})
}

func (s *session) takeEnded(events []Event, ended *cutpursev1.MatchEnded) []Event {
	match := ended.GetMatch()
	table := s.tables[match]
	if table == nil {
		return events
	}
	if table.phase == sent {
		s.settle(table)
	}
	delete(s.tables, match)
	s.order = slices.DeleteFunc(s.order, func(each string) bool { return each == match })
	s.readies = slices.DeleteFunc(s.readies, func(each string) bool { return each == match })
	return append(events, ended)
}

// tableOf is the table whose latest answer has this request id; nil for a reply to anything else.
func (s *session) tableOf(match string, requestID []byte) *table {
	table := s.tables[match]
	if table == nil || table.intent == nil || !bytes.Equal(table.intent.choice.GetRequestId(), requestID) {
		return nil
	}
	return table
}

func (s *session) settle(table *table) {
	table.intent = nil
	table.phase = settled
	s.owed--
}

// saysNothingAboutTheAnswer tells of a refusal whether the answer is sent again, with the same request id.
func saysNothingAboutTheAnswer(reason cutpursev1.ErrorReason) bool {
	switch reason {
	case cutpursev1.ErrorReason_ERROR_REASON_LOG_UNAVAILABLE,
		cutpursev1.ErrorReason_ERROR_REASON_INTERNAL,
		cutpursev1.ErrorReason_ERROR_REASON_RATE_LIMITED,
		cutpursev1.ErrorReason_ERROR_REASON_DRAINING:
		return true
	}
	return false
}
