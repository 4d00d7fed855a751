package cutpurse

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Answer is what choose returns: a [Notation], an [Index], or what [Action] makes.
type Answer interface {
	// write puts the answer into a choice, or tells why it cannot be an answer to this decision. Whether notation or an action is
	// legal is for the service to say: it knows the reason, too.
	write(choice *cutpursev1.Choice, decision *Decision) error
}

// Notation answers with the canonical text of an action, usually one of Decision.Legal.
type Notation string

func (n Notation) write(choice *cutpursev1.Choice, _ *Decision) error {
	choice.Answer = &cutpursev1.Choice_Notation{Notation: string(n)}
	return nil
}

// Index answers with a position in Decision.Legal, from 0.
type Index int

func (i Index) write(choice *cutpursev1.Choice, decision *Decision) error {
	if i < 0 || int(i) >= len(decision.Legal) {
		return &AnswerInvalidError{Decision: decision, Text: fmt.Sprintf("index %d", int(i))}
	}
	choice.Answer = &cutpursev1.Choice_Index{Index: uint32(i)}
	return nil
}

// Action answers with a typed message: a *cutpursev1.Action, or a game's own, such as a *cutpursev1.ArtRobberyAction.
func Action(message proto.Message) Answer { return typedAction{message} }

type typedAction struct{ message proto.Message }

func (a typedAction) write(choice *cutpursev1.Choice, decision *Decision) error {
	action := &cutpursev1.Action{}
	switch message := a.message.(type) {
	case *cutpursev1.Action:
		action = message
	case *cutpursev1.ArtRobberyAction:
		action.Game = &cutpursev1.Action_ArtRobbery{ArtRobbery: message}
	case *cutpursev1.BigMaxAction:
		action.Game = &cutpursev1.Action_BigMax{BigMax: message}
	case *cutpursev1.ShadowThiefAction:
		action.Game = &cutpursev1.Action_ShadowThief{ShadowThief: message}
	default:
		return &AnswerInvalidError{Decision: decision, Text: fmt.Sprintf("a %T", a.message)}
	}
	if a.message == nil || !a.message.ProtoReflect().IsValid() {
		return &AnswerInvalidError{Decision: decision, Text: fmt.Sprintf("a %T that is nil", a.message)}
	}
	// Copied, since it may be sent again later, and the bot may use its message for something else by then.
	choice.Answer = &cutpursev1.Choice_Action{Action: proto.Clone(action).(*cutpursev1.Action)}
	return nil
}
