/**
 * The Cutpurse SDK: write a bot in TypeScript.
 *
 *     import { run } from "cutpurse-sdk";
 *
 *     await run((decision) => decision.random.choice(decision.legal));
 *
 * Where the service is and who the bot is comes from the environment (`CUTPURSE_ADDRESS`, `CUTPURSE_TOKEN`) or from
 * options. The README goes through it step by step.
 *
 * @module
 */

export type { Answer } from "./answers.js";
export { Backoff } from "./backoff.js";
export { Client, connect, type ClientOptions, type Ending } from "./client.js";
export type { Connection } from "./connection.js";
export { Decision } from "./decision.js";
export {
  AnswerInvalid,
  ChoiceNotTaken,
  CutpurseError,
  DecisionUnreadable,
  reasonName,
  ServiceRefused,
  ServiceUnreachable,
  SettingsInvalid,
} from "./errors.js";
export type { GameAction, GameView } from "./games.js";
export type { Logger } from "./logger.js";
export { play, run, type Choose, type Options, type Summary } from "./play.js";
export { Random, Randomness } from "./random.js";
export type { Event, Refusal } from "./session.js";
export { Settings, type GivenSettings } from "./settings.js";
export { PROTOCOL_VERSION, type Wishes } from "./stream.js";
export { VERSION } from "./version.js";
