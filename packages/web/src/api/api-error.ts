import type { Problem } from "./types.gen.ts";

/** What the server answered instead of a result; `problem` says what was wrong and what to do. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
  }
}

/** An error as text for a person, whatever was thrown. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail;
  if (error instanceof TypeError) return "The server cannot be reached. Check that Midfold is running.";
  return error instanceof Error ? error.message : String(error);
}
