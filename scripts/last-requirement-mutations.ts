import { changes, type RequirementMutation } from "./requirement-mutation.ts";

const manager = "core/src/context-manager/context-manager.ts";
const managerTests = "core/src/context-manager/context-manager.test.ts";

/** The rest of the rows that a test outside the browser proves. */
export const lastMutations: readonly RequirementMutation[] = [
  ...changes("core/src/tokens/encoding/run-ends.ts", "core/src/tokens/encoding/exactness.test.ts", [
    ["R0 3.1", "(third & number) === 0 ? at + 2 : at + 3", "at + 2", "gives tiktoken's ids for"],
  ]),
  ...changes("server/src/chat/folds/fold-session.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-2.4.1",
      "const previous = source.summary;\n    return publish(",
      'const previous = source.summary;\n    if (options.type === "manual") return { status: "skipped", reason: "superseded" };\n    return publish(',
      "summarizes all messages by default, and later requests use the summary",
    ],
    [
      "R1 OQ-6",
      "content: { ...content, ...words,",
      "content: { ...content,",
      "regenerates, edits and switches between versions",
    ],
  ]),
  ...changes("server/src/chat/sessions/to-api-message.ts", "server/src/chat/folds/auto-fold.test.ts", [
    [
      "R1 FR-2.5.3",
      "parts: toApiParts(message.parts),",
      "parts: isFolded(record, summary) ? [] : toApiParts(message.parts),",
      "keeps every original word for word and leaves it out of the context",
    ],
    [
      "R2 integration 1",
      "inContext: !isFolded(record, summary) && isSendable(record),",
      "inContext: isSendable(record),",
      "keeps every original word for word and leaves it out of the context",
    ],
  ]),
  ...changes("store/src/sessions/read-context.ts", "server/src/chat/folds/session-scope.test.ts", [
    [
      "R1 OQ-7",
      '.on("session_snapshots.session_id", "=", place.sessionId)\n        .onRef("session_snapshots.id", "=", "chat_sessions.summary_id"),',
      '.on("session_snapshots.state", "=", "active"),',
      "a summary belongs to its session: no other is sent it",
    ],
  ]),
  ...changes("server/src/chat/folds/select-history.ts", "server/src/chat/folds/fold-rate.test.ts", [
    [
      "R1 metric 2",
      "maxSummaryTokens: wish.maxSummaryTokens,",
      "maxSummaryTokens: wish.maxSummaryTokens * 100,",
      "what is summarized becomes ten times smaller on average",
    ],
  ]),
  ...changes("server/src/chat/folds/fold-history.ts", "server/src/chat/folds/fold-rate.test.ts", [
    [
      "R1 metric 5",
      "if (state === undefined ||",
      "if (history.messages.length % 7 === 0 || state === undefined ||",
      "the automatic fold succeeds for every one of 100 conversations",
    ],
  ]),
  ...changes("server/src/turn/fit-turn.ts", "server/src/turn/overflow-rate.test.ts", [
    [
      "R1 metric 8",
      "const changed = result.changed || messages.length < received.length;",
      "const changed = false;",
      "overflow errors are gone, and a conversation goes on where it would have ended",
    ],
  ]),
  ...changes("core/src/summary/run-summary.ts", managerTests, [
    [
      "R2 NFR-2",
      'if (policy.fallback === "throw") {',
      "if (policy.fallback !== undefined) {",
      "when summarization fails, the digest and truncation stand in",
    ],
  ]),
  ...changes("core/src/tokens/guard-counter.ts", "core/src/tokens/guard-counter.test.ts", [
    [
      "R2 NFR-3",
      "return run(fallback);",
      "throw error;",
      "error scenario: a tokenizer that is not available still folds",
    ],
  ]),
  ...changes(manager, managerTests, [
    [
      "R2 class TruncationStrategy",
      "options.strategy ?? strategyFor(mode)",
      "strategyFor(mode)",
      "a strategy of one's own, with only truncate(), is used",
    ],
    [
      "R2 class ContextManager",
      "return this.#budget.systemPrompt + this.#budget.tools + this.tracker.currentTokens;",
      "return this.tracker.currentTokens;",
      "never exceeds the model's limit in mode %s",
    ],
    [
      "R2 class ContextManager",
      "this.tracker.addMessage(decoded);",
      "this.tracker.update(this.#sent);",
      "addMessage counts one message, not the history, while everything fits",
    ],
    ["R2 integration 1", "this.#history = [...messages];", "", "resets, and goes on from a snapshot"],
    [
      "R2 AC-8",
      "const threshold = this.#options.compactionThreshold ?? defaultThreshold;",
      "const threshold = defaultThreshold;",
      "limits, thresholds and shares of one's own act",
    ],
    [
      "R2 AC-8",
      "maxContextPercent: maxContextShare = 1 } = this.#options;",
      "} = this.#options;\n    const maxContextShare = 1;",
      "limits, thresholds and shares of one's own act",
    ],
    [
      "R2 AC-10",
      "this.#compactedTokens = sizeOf(compacted, this.tracker.counter);",
      "this.#compactedTokens = sizeOf(messages, this.tracker.counter);",
      "resets, and goes on from a snapshot",
    ],
  ]),
  ...changes(manager, "/examples/examples.test.ts", [
    ["R2 integration 2", "this.#history.push(message);", "", "%s runs and says what it should"],
  ]),
  ...changes("core/src/context-manager/truncation-strategy.ts", managerTests, [
    [
      "R2 AC-7",
      "if (this.preserveSystem || sizeOf(messages, counter) <= targetTokens) {",
      "if (targetTokens > 0) {",
      "preserveSystem decides whether the system prompt stays",
    ],
  ]),
  ...changes("core/src/models/document-tables.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 model claude-3-opus",
      'row("anthropic", "claude-3-opus", 200_000, 4_096)',
      'row("anthropic", "claude-3-opus", 200_000, 8_192)',
      "of the agent document: $model",
    ],
    [
      "R2 model claude-3-haiku",
      'row("anthropic", "claude-3-haiku", 200_000, 4_096)',
      'row("anthropic", "claude-3-haiku", 100_000, 4_096)',
      "of the agent document: $model",
    ],
    [
      "R2 model gpt-4-turbo",
      'row("openai", "gpt-4-turbo", 128_000, 4_096)',
      'row("openai", "gpt-4-turbo", 64_000, 4_096)',
      "of the agent document: $model",
    ],
    [
      "R2 model gpt-3.5-turbo",
      'row("openai", "gpt-3.5-turbo", 16_385, 4_096)',
      'row("openai", "gpt-3.5-turbo", 4_096, 4_096)',
      "of the agent document: $model",
    ],
  ]),
  ...changes("core/src/models/document-tables.ts", "core/src/models/resolve-model.test.ts", [
    [
      "R3 model claude-3-5-sonnet",
      'row("anthropic", "claude-3-5-sonnet", 200_000)',
      'row("anthropic", "claude-3-5-sonnet", 100_000)',
      "prints",
    ],
    [
      "R3 model claude-3-opus",
      'row("anthropic", "claude-3-opus", 200_000)',
      'row("anthropic", "claude-3-opus", 100_000)',
      "prints",
    ],
    ["R3 model gpt-4-turbo", 'row("openai", "gpt-4-turbo", 128_000)', 'row("openai", "gpt-4-turbo", 64_000)', "prints"],
  ]),
  ...changes("core/src/context-strategy/ends-strategy.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 operation compress",
      "sleep: () => Promise.resolve(),\n    });\n    return text;",
      "sleep: () => Promise.resolve(),\n    });\n    return text && this.#digest(messages, maxTokens);",
      "CX-T7 the summary is a system message between top and bottom",
    ],
  ]),
  ...changes("server/src/learn/calibrations.ts", "server/src/turn/learning.test.ts", [
    [
      "R2 integration 3",
      "counter.observeTotal(counted / counter.ratio, billed);",
      "",
      "comes to agree with a provider that counts 40 % more",
    ],
  ]),
  ...changes("core/src/strategies/assistant-spans.ts", "core/src/compact/compact-savings.test.ts", [
    [
      "R4 benefit",
      "if (draft.total > goal.target) foldNew(atom, next);",
      "if (draft.total > goal.budget) foldNew(atom, next);",
      "an agent's conversation is at least halved",
    ],
  ]),
];
