import { changes, type RequirementMutation } from "./requirement-mutation.ts";

const tables = "core/src/models/document-tables.ts";
const modelTests = "core/src/models/resolve-model.test.ts";

/** Rows that nobody had taken anything away from until each of them was read once more. */
export const furtherMutations: readonly RequirementMutation[] = [
  ...changes(tables, modelTests, [
    [
      "R1 model GPT-4 Turbo",
      '"gpt-4-turbo", 128_000, 4_096, "cl100k_base"),\n    row("openai", "gpt-4",',
      '"gpt-4-turbo", 64_000, 4_096, "cl100k_base"),\n    row("openai", "gpt-4",',
      "prints",
    ],
    ["R1 model GPT-4", 'row("openai", "gpt-4", 32_768,', 'row("openai", "gpt-4", 8_192,', "prints"],
    [
      "R1 model GPT-3.5-turbo",
      'row("openai", "gpt-3.5-turbo", 16_385, 4_096, "cl100k_base")',
      'row("openai", "gpt-3.5-turbo", 4_096, 4_096, "cl100k_base")',
      "prints",
    ],
    ["R1 model Claude Sonnet 4.5", '"claude-sonnet-4-5", 1_000_000', '"claude-sonnet-4-5", 200_000', "prints"],
    [
      "R1 model Claude 3.5 Sonnet",
      '"claude-3-5-sonnet", 200_000, 8_192',
      '"claude-3-5-sonnet", 200_000, 4_096',
      "prints",
    ],
    [
      "R1 model Claude 3 Opus",
      '"claude-3-opus", 200_000, 4_096, "anthropic"',
      '"claude-3-opus", 100_000, 4_096, "anthropic"',
      "prints",
    ],
    [
      "R1 model Claude 3 Haiku",
      '"claude-3-haiku", 200_000, 4_096, "anthropic"',
      '"claude-3-haiku", 200_000, 8_192, "anthropic"',
      "prints",
    ],
    ["R1 model Gemini 2.5 Pro", '"gemini-2.5-pro", 1_000_000, 64_000', '"gemini-2.5-pro", 1_000_000, 8_192', "prints"],
    ["R1 model Gemini 2.5 Flash", '"gemini-2.5-flash", 1_000_000', '"gemini-2.5-flash", 128_000', "prints"],
    [
      "R1 model Azure (same as OpenAI)",
      'row("azure", "azure/gpt-35-turbo", 16_385, 4_096, "cl100k_base"),',
      "",
      "no row is missing and none was added",
    ],
    [
      "R2 model claude-3-sonnet",
      'row("anthropic", "claude-3-sonnet", 200_000',
      'row("anthropic", "claude-3-sonnet", 100_000',
      "prints",
    ],
    ["R2 model llama-3-70b", '"llama-3-70b", 8_192', '"llama-3-70b", 128_000', "prints"],
    ["R2 model mistral-large", '"mistral-large", 32_000', '"mistral-large", 128_000', "prints"],
    ["R3 model gemini-pro", '"gemini-pro", 32_000', '"gemini-pro", 1_000_000', "prints"],
    ["R3 model gpt-4o", 'row("openai", "gpt-4o", 128_000),', 'row("openai", "gpt-4o", 64_000),', "prints"],
  ]),
  ...changes("core/src/models/resolve-model.ts", modelTests, [
    [
      "R1 FR-3.2.1",
      "retentionTokens: override.retentionTokens ?? defaultRetentionTokens,",
      "retentionTokens: 0,",
      "every supported model has window",
    ],
    ["R1 FR-3.2.2", "if (rank > (best?.rank ?? 0))", "if (false)", "a model the user adds appears in it"],
  ]),
  ...changes("core/src/strategies/fold-older.ts", "core/src/fold/what-stays.test.ts", [
    [
      "R1 FR-1.3.5",
      "for (const atom of movable.slice(0, count)) draft.fold",
      "for (const atom of movable.slice(-count)) draft.fold",
      "retains 3 messages when 3 are 900 and 4 are 1100 tokens",
    ],
  ]),
  ...changes("core/src/plan/write-edits.ts", "core/src/fold/fold.test.ts", [
    [
      "R1 FR-1.4.1",
      "edits.push(insert(first, line.role, line.text));",
      "",
      "puts the model's words in place of the middle",
    ],
  ]),
  ...changes("wire/src/summarize/model-summarizer.ts", "wire/src/summarize/model-summarizer.test.ts", [
    ["R1 FR-1.4.3", "stream: false,", "stream: true,", "asks one user turn, without tools, thinking or stream"],
    ["R4 capability 4", "text: request.prompt", 'text: ""', "asks one user turn"],
  ]),
  ...changes("store/src/sessions/read-context.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-1.4.6",
      '.onRef("chat_messages.seq", ">", "chat_sessions.cutoff_seq")',
      "",
      "is the summary in force and only what came after it",
    ],
    [
      "R1 FR-4.3.1",
      '.onRef("chat_messages.seq", ">", "chat_sessions.cutoff_seq")',
      '.onRef(sql`chat_messages.seq + 0` as never, ">", "chat_sessions.cutoff_seq")',
      "never touches what is summarized",
    ],
  ]),
  ...changes("store/src/sessions/create-snapshots.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-1.5.2",
      "parent_id: draft.previousId ?? null,",
      "parent_id: null,",
      "goes back exactly, version by version",
    ],
  ]),
  ...changes("store/src/sql/migrations.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-4.3.2",
      '"create index chat_sessions_by_change on chat_sessions (owner, updated_at, id)",',
      "",
      "come out of an index in their order, without sorting",
    ],
    [
      "R1 NFR-7.4",
      '"create unique index chat_messages_by_seq on chat_messages (owner, session_id, seq)",',
      '"create unique index chat_messages_by_seq on chat_messages (owner, session_id, id)",',
      "never touches what is summarized",
    ],
  ]),
  ...changes("store/src/sessions/create-settings.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-3.1.2",
      'if (sessionId !== undefined) scopes.push({ kind: "session", sessionId });',
      "",
      "are inherited from default to session, and say from where",
    ],
  ]),
  ...changes("server/src/chat/folds/select-history.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-2.2.3",
      "const previous = source.summary === undefined ? undefined : previousOf(source.summary.fold);",
      "const previous = undefined as ReturnType<typeof previousOf>;",
      "includes the previous summary, keeps every version",
    ],
  ]),
  ...changes("server/src/chat/context/build-context.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-2.5.1",
      'return { role, parts: [{ type: "text", text }] };',
      'return { role: "user", parts: [{ type: "text", text }] };',
      "summarizes all messages by default, and later requests use the summary",
    ],
  ]),
  ...changes("server/src/chat/sessions/to-api-message.ts", "server/src/chat/sessions/history.test.ts", [
    [
      "R1 FR-6.3.1",
      "inContext: !isFolded(record, summary) && isSendable(record),",
      "inContext: isSendable(record),",
      "marks what a summary stands for as no longer in the context",
    ],
  ]),
  ...changes("server/src/chat/sessions/handle-history.ts", "server/src/chat/sessions/history.test.ts", [
    [
      "R1 FR-6.3.2",
      'if (!isFolded(message, summary)) return isSendable(message) ? "in-context" : "hidden";',
      'if (isSendable(message)) return "in-context";',
      "finds words in the full history",
    ],
  ]),
  ...changes("core/src/tokens/pool/token-pool.node.ts", "core/src/tokens/pool/token-pool.test.ts", [
    [
      "R1 NFR-7.5",
      "if (text.length < this.#minLength) return",
      "if (text.length > 0) return",
      "lets this thread go on meanwhile",
    ],
  ]),
  ...changes("core/src/summary/run-summary.ts", "core/src/summary/run-summary.test.ts", [
    [
      "R1 OQ-2",
      "if (frames.length === 0) return options;",
      "return options;",
      "cascades: a frame among the messages becomes the previous summary",
    ],
    ["R2 AC-6", "ledger,\n      carry:", "ledger: {},\n      carry:", "takes a good summary, and repairs what it lost"],
  ]),
  ...changes("core/src/tokens/count-tools.ts", "core/src/tokens/counters.test.ts", [
    ["R2 FR-1.3", 'if (as === "typescript") return toSignature(tool);', "", "shows tools as the models see them"],
  ]),
  ...changes("core/src/tokens/get-counter.ts", "core/src/tokens/counters.test.ts", [
    [
      "R2 class get_counter",
      "family.text === undefined\n          ? new TiktokenCounter(model)",
      "family.text === undefined\n          ? new ApproximateCounter()",
      "%s counts by %s",
    ],
    ["R2 FR-1.2", "const family = findFamily(model);", 'const family = findFamily("gpt-4o");', "%s counts by %s"],
  ]),
  ...changes("core/src/tokens/tiktoken-counter.ts", "core/src/tokens/counters.test.ts", [
    [
      "R2 class TiktokenCounter",
      'modelOrEncoding = "cl100k_base"',
      'modelOrEncoding = "o200k_base"',
      "takes a model, an encoding, an alias or nothing",
    ],
  ]),
  ...changes("core/src/budget/context-budget.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 class ContextBudget",
      "this.total - this.systemPrompt - this.tools - this.responseReserve",
      "this.total - this.systemPrompt - this.responseReserve",
      "available is what system prompt",
    ],
  ]),
  ...changes("core/src/budget/context-limits.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 class ContextLimits",
      'const overrides = { ...documentOverrides("agent"), ...options.overrides };',
      "const overrides = { ...options.overrides };",
      "of the agent document: $model",
    ],
  ]),
  ...changes("core/src/fold/finish-fold.ts", "core/src/fold/fold.property.test.ts", [
    [
      "R2 AC-2",
      "if (before > limits.budget) return",
      "if (before > limits.budget * 2) return",
      "is never over budget, by an independent count of what goes out",
    ],
  ]),
  ...changes("core/src/plan/write-edits.ts", "core/src/fold/fold.property.test.ts", [
    ["R2 AC-5", "else push(inserted, message, answer);", "", "answers every tool call exactly once, whatever came in"],
  ]),
  ...changes("core/src/plan/build-view.ts", "core/src/fold/fold.property.test.ts", [
    [
      "R2 AC-3",
      "if (leading || spoken[index] === 1) {",
      "if (spoken[index] === 1) {",
      "leaves the system prompt, the last user message and pinned messages",
    ],
  ]),
  ...changes("core/src/context-strategy/strategies.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 interface ContextStrategy",
      'name: "sandwich", preserveTop,',
      'name: "other", preserveTop,',
      "has the defaults of the document",
    ],
    [
      "R3 param preserve_bottom",
      "preserveBottom = 5, compressionThreshold = 0.7 } = options;",
      "preserveBottom = 4, compressionThreshold = 0.7 } = options;",
      "has the defaults of the document",
    ],
  ]),
  ...changes("core/src/context-strategy/context-state.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 lifecycle 2",
      " && state.summaryRange[1] === use.messageCount - use.preserveBottom",
      "",
      "CX-T6 cache is invalidated when the middle grows",
    ],
    [
      "R3 operation build_context",
      "if (state === undefined || state.strategy !== use.strategy) return false;",
      "return false;",
      "CX-T5 cached summary is reused when valid",
    ],
  ]),
  ...changes("core/src/budget/sandwich-trigger.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 operation needs_compression",
      "tokens > Math.floor(window * threshold)",
      "tokens >= Math.floor(window * threshold)",
      "CX-T2 over threshold triggers compression, and exactly at it does not",
    ],
  ]),
  ...changes("core/src/budget/assert-window.ts", "core/src/context-strategy/context-strategy.test.ts", [
    ["R3 CX-NT1", "window > 0", "window >= 0", "CX-NT1 zero max_context_tokens is a VALIDATION_ERROR"],
  ]),
  ...changes("core/src/context-strategy/ends-strategy.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 validation messages",
      "if (read.decoded.length === 0) throw noMessages();",
      "",
      "CX-NT2 compress with empty messages is a VALIDATION_ERROR",
    ],
  ]),
  ...changes("core/src/tokens/length-counter.ts", "core/src/context-strategy/context-strategy.test.ts", [
    ["R3 CX-T8", "text.length / 4", "text.length / 8", "CX-T8 token estimation is reasonably accurate"],
  ]),
  ...changes("core/src/fold/start-fold.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 process 5",
      "if (known?.frame === undefined) return undefined;",
      "return undefined;",
      "incremental: a span is summarized once, later compactions only add",
    ],
  ]),
  ...changes("core/src/compact/compact.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 process 3",
      "...(parsed.prompt === undefined ? {} : { prompt: parsed.prompt }),",
      "",
      "uses a custom Handlebars prompt",
    ],
  ]),
  ...changes("core/src/strategies/composite.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R2 FR-4.3",
      "for (const strategy of strategies) strategy(draft, goal);",
      "strategies[0]?.(draft, goal);",
      "composite runs strategies in order until the target is met",
    ],
  ]),
  ...changes("core/src/strategies/drop-oldest.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R2 AC-4",
      "let atom = start; atom < atoms.length && draft.total > goal.target; atom++",
      "let atom = atoms.length - 1; atom >= start && draft.total > goal.target; atom--",
      "token budget drops the oldest first, and keeps system and recent",
    ],
  ]),
  ...changes("core/src/tokens/chat-counter.ts", "core/src/tokens/counters.test.ts", [
    [
      "R2 class TokenCounter",
      "this.#rules.chat.perRequest + this.#sum(asMessages(messages))",
      "this.#rules.chat.perRequest + this.#sum(asMessages(messages).slice(1))",
      "every counter takes them as %s writes them, and counts what the engine counts",
    ],
    [
      "R1 OQ-3",
      "part.text === undefined ? count(describeFile(part))",
      'part.text === undefined ? count(part.data ?? "")',
      "counts a file by its description, never by its content",
    ],
  ]),
  ...changes("wire/src/count/gemini-count.ts", "wire/src/count/gemini-count.test.ts", [
    [
      "R1 FR-3.3.1",
      'contents.push({ role: "user", parts: [{ text: JSON.stringify(shown) }] });',
      "",
      "sends tools, system prompt and turns as contents",
    ],
    [
      "R1 APP-A",
      "if (last?.role === role) last.parts.push(...parts);\n    else contents.push",
      "contents.push",
      "sends tools, system prompt and turns as contents",
    ],
  ]),
  ...changes("wire/src/count/gemini-count.ts", "server/src/chat/models/count-upstream.test.ts", [
    ["R1 FR-1.1.2", ":countTokens`, {", ":generateContent`, {", "Gemini counts by its own countTokens"],
  ]),
  ...changes("server/src/turn/fit-turn.ts", "server/src/turn/overflow-rate.test.ts", [
    [
      "R1 metric 7",
      "if (!gateway.settings.folding || !turn.destination.folding) return false;",
      "if (gateway.settings.folding) return false;",
      "overflow errors are gone, and a conversation goes on where it would have ended",
    ],
  ]),
  ...changes("core/src/context-manager/truncation-strategy.ts", "core/src/context-manager/context-manager.test.ts", [
    [
      "R2 FR-3.1",
      "current = strategy.truncate(current, targetTokens, counter) as readonly Wire[];",
      "",
      "strategies of one's own chain with others",
    ],
  ]),
];
