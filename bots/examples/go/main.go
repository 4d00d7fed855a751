// A first bot: any legal action, by lot.
package main

import (
	"context"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
)

func choose(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	return cutpurse.Index(decision.Random.IntN(len(decision.Legal))), nil
}

func main() { cutpurse.Main(choose) }
