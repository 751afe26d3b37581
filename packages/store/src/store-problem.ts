/** What went wrong in the background, where no caller waits for an answer. */
export interface StoreProblem {
  readonly about: "request-log" | "events" | "jobs" | "lease" | "connection";
  readonly message: string;
  readonly cause?: unknown;
}
