package cutpurse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Everything that the SDK reports on purpose; errors.As tells which.
//
//	SettingsInvalidError       an address, token, certificate or option that is missing or cannot be used; nothing was sent
//	AnswerInvalidError         what choose returned is no answer to the decision
//	ChoiceFailedError          choose returned an error, which this one wraps
//	ServiceRefusedError        the service said no for good: token, role, protocol version, …; carries the reason
//	ServiceUnreachableError    the service could not be reached, or not kept, until the patience was over
//	ChoiceNotTakenError        a choice was refused, and OnRefused(Fail) was asked for; carries the refusal
//	DecisionUnreadableError    the decision has no form that was asked for

// SettingsInvalidError says that an address, a token, a certificate or an option is missing or cannot be used.
type SettingsInvalidError struct {
	// Text says what to set.
	Text string
	// Err is what lies below, if anything does.
	Err error
}

func (e *SettingsInvalidError) Error() string { return "cutpurse: " + e.Text }

// Unwrap gives what lies below, such as an error of the file system.
func (e *SettingsInvalidError) Unwrap() error { return e.Err }

// AnswerInvalidError says that an answer is none to its decision. It was not sent.
type AnswerInvalidError struct {
	// Decision is what was to be answered.
	Decision *Decision
	// Text says what is wrong with the answer.
	Text string
}

func (e *AnswerInvalidError) Error() string {
	return fmt.Sprintf("cutpurse: %s is no answer to %s: give one of its legal actions, an index or an action", e.Text, e.Decision)
}

// ChoiceFailedError says that choose returned an error or, where that is asked for, panicked.
type ChoiceFailedError struct {
	// Decision is what was to be answered.
	Decision *Decision
	// Err is what choose returned.
	Err error
}

func (e *ChoiceFailedError) Error() string {
	return fmt.Sprintf("cutpurse: choose failed for %s: %v", e.Decision, e.Err)
}

// Unwrap gives what choose returned.
func (e *ChoiceFailedError) Unwrap() error { return e.Err }

// ServiceRefusedError says that the service refused the stream, and that trying again would not help.
type ServiceRefusedError struct {
	// Code is the gRPC status.
	Code codes.Code
	// Reason is why; unspecified where the service named no reason, or one that this SDK does not know.
	Reason cutpursev1.ErrorReason
	// Text is one sentence for people, from the service.
	Text string
}

func (e *ServiceRefusedError) Error() string {
	return fmt.Sprintf("cutpurse: the service refused (%s, %s): %s", e.Code, ReasonName(e.Reason), e.Text)
}

// ServiceUnreachableError says that the service could not be reached, or not be kept, until the patience was over.
type ServiceUnreachableError struct {
	// Address is where it should have been.
	Address string
	// Down is for how long it was out of reach.
	Down time.Duration
	// Err is how the last attempt failed.
	Err error
}

func (e *ServiceUnreachableError) Error() string {
	return fmt.Sprintf("cutpurse: %s was out of reach for %s: %v", e.Address, e.Down.Round(time.Second), e.Err)
}

// Unwrap gives how the last attempt failed.
func (e *ServiceUnreachableError) Unwrap() error { return e.Err }

// ChoiceNotTakenError says that the service refused a choice.
type ChoiceNotTakenError struct {
	// Refusal is what the service said.
	Refusal *cutpursev1.ChoiceRefused
}

func (e *ChoiceNotTakenError) Error() string {
	refusal := e.Refusal
	reason := ReasonName(refusal.GetReason())
	return fmt.Sprintf("cutpurse: match %s, decision %d: %s: %s", refusal.GetMatch(), refusal.GetDecision(), reason, refusal.GetText())
}

// DecisionUnreadableError says that the decision has no form that was asked for.
type DecisionUnreadableError struct {
	// Text says what to do.
	Text string
}

func (e *DecisionUnreadableError) Error() string { return "cutpurse: " + e.Text }

const (
	reasonPrefix = "ERROR_REASON_"
	// The trailing metadata in which the service names the reason as text, beside the ErrorInfo of richer clients.
	reasonKey = "cutpurse-reason"
)

// ReasonName is the short text of a reason, such as DECISION_STALE; the number of one that this SDK does not know.
func ReasonName(reason cutpursev1.ErrorReason) string {
	name, known := cutpursev1.ErrorReason_name[int32(reason)]
	if !known {
		return strconv.Itoa(int(reason))
	}
	return strings.TrimPrefix(name, reasonPrefix)
}

// refusedForGood tells what a failed call means: a refusal that will not change, or nil if dialling in again may help.
func refusedForGood(err error, trailer metadata.MD) *ServiceRefusedError {
	failed, isStatus := status.FromError(err)
	if !isStatus {
		return nil
	}
	name := ""
	if named := trailer.Get(reasonKey); len(named) > 0 {
		name = named[0]
	}
	if isPassing(name, failed.Code()) {
		return nil
	}
	text := failed.Message()
	if text == "" {
		text = "no details"
	}
	// A name that is not known is not in the map, and 0 is what unspecified means.
	reason := cutpursev1.ErrorReason(cutpursev1.ErrorReason_value[reasonPrefix+name])
	return &ServiceRefusedError{Code: failed.Code(), Reason: reason, Text: text}
}

// isPassing tells whether a failure may be gone a moment later, so that it is worth dialling in again.
func isPassing(name string, code codes.Code) bool {
	if name != "" {
		passing := []string{"READER_TOO_SLOW", "TOO_MANY_STREAMS", "RATE_LIMITED", "DRAINING", "LOG_UNAVAILABLE", "INTERNAL"}
		return slices.Contains(passing, name)
	}
	// These name no reason, because they come from the connection or from something in between.
	passing := []codes.Code{
		codes.Unavailable, codes.Aborted, codes.Canceled, codes.DeadlineExceeded, codes.Internal, codes.Unknown, codes.ResourceExhausted,
	}
	return slices.Contains(passing, code)
}
