package cutpurse

import (
	"math"
	"math/rand/v2"
	"time"
)

// Backoff is how long the pauses between attempts to dial in are.
type Backoff struct {
	// First is the longest first pause.
	First time.Duration
	// Factor is how much longer each next pause may be.
	Factor float64
	// Longest is what no pause exceeds.
	Longest time.Duration
}

// DefaultBackoff is what is used unless [WithBackoff] says otherwise: from 50 ms, doubling, to 5 s.
func DefaultBackoff() Backoff {
	return Backoff{First: 50 * time.Millisecond, Factor: 2, Longest: 5 * time.Second}
}

// Pause is the pause before an attempt, from 1: at random between half and the whole of what it may be.
//
// At random, so that many bots of a service that comes back do not all dial in at the same moment.
func (b Backoff) Pause(attempt int) time.Duration {
	whole := float64(b.First) * math.Pow(b.Factor, float64(min(attempt-1, 64)))
	whole = min(whole, float64(b.Longest))
	return time.Duration(whole * (0.5 + rand.Float64()/2))
}
