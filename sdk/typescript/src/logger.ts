/** Where the SDK says what happens on the way. `console` is one. */
export interface Logger {
  /** For whoever looks for a fault in the SDK. */
  debug(message: string, ...details: unknown[]): void;
  /** What goes as it should: connected, drained. */
  info(message: string, ...details: unknown[]): void;
  /** What the author may want to mend: a refused answer, a connection that broke. */
  warn(message: string, ...details: unknown[]): void;
  /** What went wrong in the author's own code and was covered up as asked. */
  error(message: string, ...details: unknown[]): void;
}

/** Warnings and errors on standard error, nothing else: a bot's standard output is its author's. */
export const WARNINGS_ONLY: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, ...details) => console.error(`cutpurse: ${message}`, ...details),
  error: (message, ...details) => console.error(`cutpurse: ${message}`, ...details),
};
