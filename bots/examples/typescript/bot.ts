// A first bot: any legal action, by lot.
import { run } from "cutpurse-sdk";

await run((decision) => decision.random.choice(decision.legal));
