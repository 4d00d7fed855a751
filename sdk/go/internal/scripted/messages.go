package scripted

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Offer is an offer of a match of two.
func Offer(match string) *cutpursev1.MatchOffered {
	return &cutpursev1.MatchOffered{
		Match:         match,
		Players:       2,
		Configuration: &cutpursev1.MatchConfiguration{Game: "art_robbery"},
		WarmUpMsLeft:  1000,
	}
}

// Decision is a decision between these actions, or else between two.
func Decision(match string, number uint32, legal ...string) *cutpursev1.Decision {
	if len(legal) == 0 {
		legal = []string{"play GD", "play BS"}
	}
	table := &cutpursev1.ArtRobberyTable{Heist: 1, HandSizes: []uint32{5, 5}}
	view := &cutpursev1.View{Game: &cutpursev1.View_ArtRobbery{ArtRobbery: &cutpursev1.ArtRobberyView{Table: table}}}
	return &cutpursev1.Decision{Match: match, Decision: number, View: view, Legal: slices.Clone(legal)}
}

// Decisions is a frame of decisions.
func Decisions(decisions ...*cutpursev1.Decision) *cutpursev1.ConnectResponse {
	return &cutpursev1.ConnectResponse{Decisions: decisions}
}

// Accepted is a frame with the acknowledgement of choices.
func Accepted(choices ...*cutpursev1.Choice) *cutpursev1.ConnectResponse {
	frame := &cutpursev1.ConnectResponse{}
	for _, choice := range choices {
		frame.Accepted = append(frame.Accepted, &cutpursev1.ChoiceAccepted{
			Match: choice.GetMatch(), Decision: choice.GetDecision(), RequestId: choice.GetRequestId(),
		})
	}
	return frame
}

// Refused is a frame with the refusal of a choice.
func Refused(choice *cutpursev1.Choice, reason cutpursev1.ErrorReason) *cutpursev1.ConnectResponse {
	return &cutpursev1.ConnectResponse{Refused: []*cutpursev1.ChoiceRefused{{
		Match:     choice.GetMatch(),
		Decision:  choice.GetDecision(),
		RequestId: choice.GetRequestId(),
		Reason:    reason,
		Text:      "as scripted",
	}}}
}

// Ended adds the ends of matches to a frame.
func Ended(frame *cutpursev1.ConnectResponse, matches ...string) *cutpursev1.ConnectResponse {
	for _, match := range matches {
		result := &cutpursev1.MatchResult{Scores: []int32{9, 7}, Placements: []uint32{1, 2}}
		frame.Ended = append(frame.Ended, &cutpursev1.MatchEnded{Match: match, Result: result})
	}
	return frame
}

// Finish is a script, often the second one: a match is offered, decided once and ended.
func Finish(line *Line) error {
	line.WelcomeWith(Decisions(Decision("m", 1)), "m")
	frame := line.Hear()
	for frame != nil && len(frame.GetChoices()) == 0 {
		frame = line.Hear()
	}
	line.Expect(frame != nil, "the bot has gone, and a choice was expected")
	line.Say(Ended(Accepted(frame.GetChoices()...), "m"))
	return line.Silence()
}

// Newer adds to a message what a newer protocol may put there: a field that nobody here knows.
func Newer[M proto.Message](message M) M {
	unknown := protowire.AppendTag(nil, 9999, protowire.BytesType)
	message.ProtoReflect().SetUnknown(protowire.AppendString(unknown, "from a newer protocol"))
	return message
}
