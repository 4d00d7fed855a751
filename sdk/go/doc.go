// Package cutpurse is for bots in Go that play in a Cutpurse arena.
//
// A bot is a function from a decision to an answer:
//
//	func choose(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
//		return cutpurse.Index(decision.Random.IntN(len(decision.Legal))), nil
//	}
//
//	func main() { cutpurse.Main(choose) }
//
// Where the service is and who the bot is comes from the environment (CUTPURSE_ADDRESS, CUTPURSE_TOKEN) or from options.
//
// [Main] is for programs, [Run] for whoever has a context already, and [Client] for loops of one's own. In all three a stream
// that breaks is dialled anew, and no answer takes effect twice. The messages of the protocol are in package cutpursev1.
package cutpurse

// Version is the SDK's own, which it names to the service.
const Version = "0.1.0"

// ProtocolVersion is the version of the protocol that the SDK speaks.
const ProtocolVersion = 1
