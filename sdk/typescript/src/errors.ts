/**
 * What can go wrong for a bot, and nothing else.
 *
 *     CutpurseError
 *     ├── SettingsInvalid       an address, token, certificate or option that is missing or cannot be used; nothing was sent
 *     ├── AnswerInvalid         what `choose` returned is no answer: neither notation, index nor action
 *     ├── ServiceRefused        the service said no for good: token, role, protocol version, …; carries the reason
 *     ├── ServiceUnreachable    the service could not be reached, or not kept, until the patience was over
 *     ├── ChoiceNotTaken        a choice was refused and `onRefused` is `throw`; carries the refusal
 *     └── DecisionUnreadable    the decision has no form that this SDK knows or that was asked for
 *
 * @module
 */

import { Code, ConnectError } from "@connectrpc/connect";

import { ErrorReason, type ChoiceRefused } from "./protocol/index.js";

/** The trailing metadata in which the service names the reason as text, beside the ErrorInfo of richer clients. */
const REASON_KEY = "cutpurse-reason";

/** Reasons that may be gone a moment later, so that it is worth dialling in again. */
const PASSING: ReadonlySet<string> = new Set([
  "READER_TOO_SLOW",
  "TOO_MANY_STREAMS",
  "RATE_LIMITED",
  "DRAINING",
  "LOG_UNAVAILABLE",
  "INTERNAL",
]);

/** The same for errors that name no reason, because they come from the connection or from something in between. */
const PASSING_CODES: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.Aborted,
  Code.Canceled,
  Code.DeadlineExceeded,
  Code.Internal,
  Code.Unknown,
  Code.ResourceExhausted,
]);

/** The root of everything that the SDK throws on purpose. */
export class CutpurseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An address, a token, a certificate or an option is missing or cannot be used. The text says what to set. */
export class SettingsInvalid extends CutpurseError {}

/** What `choose` returned is no answer to the decision. */
export class AnswerInvalid extends CutpurseError {}

/** The service refused the stream, and trying again would not help. */
export class ServiceRefused extends CutpurseError {
  constructor(
    /** The gRPC status, such as `UNAUTHENTICATED`. */
    readonly status: string,
    /** Why; unspecified where the service named no reason, or one that this SDK does not know. */
    readonly reason: ErrorReason,
    /** One sentence for people, from the service. */
    readonly text: string,
    options?: ErrorOptions,
  ) {
    super(`the service refused (${status}, ${reasonName(reason)}): ${text}`, options);
  }
}

/** The service could not be reached, or not be kept, until the patience was over. */
export class ServiceUnreachable extends CutpurseError {}

/** The service refused a choice. */
export class ChoiceNotTaken extends CutpurseError {
  constructor(
    /** What the service said. */
    readonly refusal: ChoiceRefused,
  ) {
    super(
      `match ${refusal.match}, decision ${refusal.decision}: ${reasonName(refusal.reason)}: ${refusal.text || "no text"}`,
    );
  }
}

/** The decision has no form that this SDK knows or that was asked for. The text says what to do. */
export class DecisionUnreadable extends CutpurseError {}

/** The short text of a reason, such as `DECISION_STALE`; the number of one that this SDK does not know. */
export function reasonName(reason: ErrorReason): string {
  return ErrorReason[reason] ?? String(reason);
}

/** What a gRPC status is called in the protocol's own spelling: `FAILED_PRECONDITION`. */
export function statusName(code: Code): string {
  const name = code === Code.Canceled ? "Cancelled" : (Code[code] ?? String(code));
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

/** What a failed call means: a refusal that will not change, or nothing if dialling in again may help. */
export function refusedForGood(error: ConnectError): ServiceRefused | undefined {
  const name = error.metadata.get(REASON_KEY) ?? "";
  if (name === "" ? PASSING_CODES.has(error.code) : PASSING.has(name)) {
    return undefined;
  }
  const reason = name in ErrorReason ? ErrorReason[name as keyof typeof ErrorReason] : ErrorReason.UNSPECIFIED;
  return new ServiceRefused(statusName(error.code), reason, error.rawMessage || "no details", { cause: error });
}
