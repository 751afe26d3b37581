/**
 * Every error Midfold can raise, in one place. `docs/errors.md` lists the same codes (a test keeps them equal), and the
 * gateway takes the HTTP status from here. Codes in capitals with underscores, as requirement document R3 writes them.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: {
    status: 400,
    retryable: false,
    meaning: "A value passed in is not usable.",
    remedy: "The message names the value and what it must be. Correct it and call again.",
  },
  INVALID_MESSAGE: {
    status: 400,
    retryable: false,
    meaning: "A message has no shape Midfold knows.",
    remedy: 'The message names its position and what is wrong. Correct it, or pass `onInvalid: "skip"`.',
  },
  UNKNOWN_FORMAT: {
    status: 400,
    retryable: false,
    meaning: "The messages match none of the known formats.",
    remedy: "Pass `format` explicitly, or check the shape of the messages.",
  },
  CONTEXT_OVERFLOW: {
    status: 400,
    retryable: false,
    meaning: "Even the smallest allowed form of the conversation is over the budget.",
    remedy:
      "The details name the sizes of what must stay. Shorten the largest, allow more rungs, or use a larger window.",
  },
  INVARIANT_BROKEN: {
    status: 500,
    retryable: false,
    meaning: "A folded conversation failed its own check. Nothing was sent.",
    remedy: "This is a defect in Midfold: report it with the details. The original messages are unchanged.",
  },
  SUMMARY_FAILED: {
    status: 502,
    retryable: true,
    meaning: "The summarizer failed, or what it returned was not usable.",
    remedy: "The conversation is unchanged. Try again later, or allow the digest as a fallback.",
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    meaning: "A model or service Midfold depends on did not answer.",
    remedy: "Try again. What was stored before is unchanged.",
  },
  ABORTED: {
    status: 499,
    retryable: false,
    meaning: "The caller cancelled.",
    remedy: "Nothing to do.",
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
  readonly remedy: string;
}

export type ErrorCode = keyof typeof errorCatalogue;
