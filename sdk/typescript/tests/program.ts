/** A bot as a program of its own: any legal action, by lot; prints what became of it. Its only argument: `matches`. */

import { run } from "cutpurse-sdk";

const matches = process.argv[2] === undefined ? undefined : Number(process.argv[2]);
const { ending, decisions, refused } = await run((decision) => decision.random.choice(decision.legal), { matches });
console.log(JSON.stringify({ ending, decisions, refused }));
