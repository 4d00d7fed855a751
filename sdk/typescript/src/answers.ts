import { inspect } from "node:util";

import { create, isMessage } from "@bufbuild/protobuf";

import type { Decision } from "./decision.js";
import { AnswerInvalid } from "./errors.js";
import type { GameAction } from "./games.js";
import { ActionSchema, type Action, type Choice } from "./protocol/index.js";

/** One of the legal notations, an index into them, or an action: wrapped, or the game's own message. */
export type Answer = string | number | Action | GameAction;

/** By the name of a game's own action message: the case of `Action` that holds it. */
const GAMES: ReadonlyMap<string, string> = new Map(
  ActionSchema.fields.map((field) => [field.message?.typeName ?? "", field.localName]),
);

/**
 * The form in which an answer travels. Throws `AnswerInvalid` for what cannot be an answer to this decision.
 *
 * Whether notation or an action is legal is for the service to say: it knows the reason, too.
 */
export function answerToProto(decision: Decision, answer: unknown): Choice["answer"] {
  if (typeof answer === "string") {
    return { case: "notation", value: answer };
  }
  if (typeof answer === "number") {
    if (!Number.isInteger(answer) || answer < 0 || answer >= decision.legal.length) {
      throw new AnswerInvalid(`${answer} is no index into the ${decision.legal.length} legal actions: ${decision}`);
    }
    return { case: "index", value: answer };
  }
  if (isMessage(answer, ActionSchema)) {
    return { case: "action", value: answer };
  }
  const game = isMessage(answer) ? GAMES.get(answer.$typeName) : undefined;
  if (game !== undefined) {
    const oneof = { case: game, value: answer } as Action["game"];
    return { case: "action", value: create(ActionSchema, { game: oneof }) };
  }
  throw new AnswerInvalid(
    `${describe(answer)} is no answer to ${decision}: return one of decision.legal, its index, or an action message`,
  );
}

/** What was returned in place of an answer, for the author to recognise. */
function describe(answer: unknown): string {
  return isMessage(answer) ? `a ${answer.$typeName}` : `${inspect(answer, { depth: 0 })} (${typeof answer})`;
}
