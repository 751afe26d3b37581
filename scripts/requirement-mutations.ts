import { furtherMutations } from "./further-requirement-mutations.ts";
import { lastMutations } from "./last-requirement-mutations.ts";
import { changes, type RequirementMutation } from "./requirement-mutation.ts";

/** `npm run prove` applies each of these in memory, one at a time, and fails where the named test still passes. */
export const requirementMutations: readonly RequirementMutation[] = [
  ...changes("core/src/budget/output-reserve.ts", "core/src/budget/budget-formulas.test.ts", [
    ["R0 3.3", "window - defaultSafetyTokens - 1", "window * maxReserveShare", "also above half of the window"],
    ["R0 3.4", "defaultSafetyTokens = 100", "defaultSafetyTokens = 90", "window − max completion − 100"],
  ]),
  ...changes("core/src/budget/chat-budget.ts", "core/src/budget/budget-formulas.test.ts", [
    [
      "R1 FR-1.2.1",
      "thresholdFor(options.threshold ?? 0.95, exact)",
      "thresholdFor(0.95, exact)",
      "a lower threshold folds earlier",
    ],
    ["R1 FR-1.2.2", "options.threshold ?? 0.95", "options.threshold ?? 0.9", "95 % of the window"],
    [
      "R1 FR-1.2.4",
      "line - output - inputTokens",
      "line - output",
      "95 % of the window, less the reply and the new input",
    ],
    ["R1 FR-5.4.1", "tokens >= minimumTokens && ", "", "nothing is folded below 2000 tokens"],
  ]),
  ...changes("core/src/budget/sandwich-trigger.ts", "core/src/budget/budget-formulas.test.ts", [
    ["R3 param compression_threshold", "threshold = 0.7", "threshold = 0.8", "over 70 % and more than 10 messages"],
  ]),
  ...changes("core/src/budget/assert-window.ts", "core/src/budget/budget-formulas.test.ts", [
    [
      "R3 validation max_context_tokens",
      "Number.isFinite(window) && window > 0",
      "Number.isFinite(window)",
      "is refused everywhere",
    ],
  ]),
  ...changes("core/src/budget/context-limits.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 FR-2.1",
      "maxTokens - reply - Math.min(reservedTokens, Math.floor(maxTokens / 4))",
      "maxTokens - reply",
      "input is the window less reply and reserve",
    ],
  ]),
  ...changes("core/src/budget/context-budget.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 FR-2.2",
      "this.total - this.systemPrompt - this.tools - this.responseReserve",
      "this.total - this.systemPrompt - this.responseReserve",
      "available is what system prompt",
    ],
  ]),
  ...changes("core/src/budget/context-tracker.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 FR-2.3",
      "Math.max(0, this.#currentTokens - this.limits.inputTokens)",
      "0",
      "says when and by how much it is over",
    ],
    [
      "R2 class ContextTracker",
      "this.#currentTokens > this.limits.inputTokens;",
      "this.#currentTokens > this.limits.maxTokens;",
      "says when and by how much it is over",
    ],
  ]),
  ...changes("core/src/models/document-tables.ts", "core/src/budget/context-limits.test.ts", [
    [
      "R2 model gpt-4",
      'row("openai", "gpt-4", 8_192, 4_096)',
      'row("openai", "gpt-4", 16_384, 4_096)',
      "of the agent document: $model",
    ],
  ]),
  ...changes("core/src/budget/trigger.ts", "core/src/budget/trigger.test.ts", [
    [
      "R4 capability 6",
      'const kinds: readonly TriggerKind[] = ["tokens", "messages", "turns"];',
      'const kinds: readonly TriggerKind[] = ["tokens", "messages"];',
      "any one threshold is enough",
    ],
    ["R4 process 1", "usage[kind] > limit", "usage[kind] >= limit", "any one threshold is enough"],
  ]),
  ...changes("core/src/fold/finish-fold.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 process 4",
      'loses && text.by === "digest" ? digestWider(job, span) : undefined',
      "undefined",
      "without a model too",
    ],
    [
      "R4 process 4",
      "const stays = gained <= 0 ||",
      "const stays = false &&",
      "a span whose summary would be longer than itself stays",
    ],
  ]),
  ...changes("core/src/digest/whole-end.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 example",
      'if (end <= last.end || last.text.endsWith("]")) return;',
      "if (end > 0) return;",
      "a digest of at most %i tokens ends in a whole sentence",
    ],
  ]),
  ...changes("core/src/fold/write-summaries.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 param max_tokens",
      "preset.maxFrameTokens ?? shortSummary",
      "preset.minTokens + shortSummary",
      "no summary is longer than max_tokens",
    ],
  ]),
  ...changes("core/src/strategies/assistant-spans.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 example",
      "draft.setFrame(span, frame);",
      "draft.setFrame(span, frame < 160 ? 0 : frame);",
      "turns the work between two user messages",
    ],
    [
      "R4 capability 1",
      'holds[atom] === hold.free && atoms[atom]!.kind !== "user"',
      "holds[atom] === hold.free",
      "keeps every user message word for word",
    ],
    [
      "R4 process 2",
      "if (draft.total > goal.target) foldNew(atom, next);",
      "if (draft.total > goal.target && atom > start + 2) foldNew(atom, next);",
      "compresses the earliest span first",
    ],
    [
      "R4 capability 5",
      "retainedFrom(atoms, options.retention.messages ?? 0)",
      "retainedFrom(atoms, 0)",
      "keeps every user message word for word",
    ],
  ]),
  ...changes("core/src/atoms/group-atoms.ts", "core/src/compact/compact.test.ts", [
    ["R4 capability 2", "last = Math.max(last, reach[i]!);", "", "flow coherence"],
  ]),
  ...changes("core/src/fold/start-fold.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 capability 3",
      "if (known?.frame === undefined) return undefined;",
      "return undefined;",
      "incremental: a span is summarized once",
    ],
  ]),
  ...changes("core/src/compact/compact.ts", "core/src/compact/compact.test.ts", [
    ["R4 param max_tokens", "maxFrameTokens: config.max_tokens,", "", "no summary is longer than max_tokens"],
    [
      "R4 param message_threshold",
      "...(config.message_threshold == null ? {} : { messages: config.message_threshold }),",
      "",
      "triggers by %s, and not before",
    ],
    [
      "R4 param turn_threshold",
      "...(config.turn_threshold == null ? {} : { turns: config.turn_threshold }),",
      "",
      "triggers by %s, and not before",
    ],
    ["R4 param model", "parsed.model ?? options.model", "options.model", "which model shall write"],
    [
      "R4 param prompt",
      "...(parsed.prompt === undefined ? {} : { prompt: parsed.prompt }),",
      "",
      "uses a custom Handlebars prompt",
    ],
    ["R4 param summary_tag", "summaryTag: parsed.summary_tag,", "", "asks by the default prompt for the tag"],
  ]),
  ...changes("core/src/compact/compact-config.ts", "core/src/compact/compact.test.ts", [
    [
      "R4 param token_threshold",
      "token_threshold: 60_000,",
      "token_threshold: 70_000,",
      "does nothing at the default threshold",
    ],
    ["R4 param retention_window", "retention_window: 6,", "retention_window: 5,", "has the defaults of the table"],
  ]),
  ...changes("core/src/context-strategy/ends-strategy.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 alternative tree-summary",
      "Math.floor(room / parts)",
      "room",
      "tree: the texts that are left side by side share the room of one summary",
    ],
    ["R3 algorithm", "mustShrink: false", "mustShrink: true", "a small middle is summarized"],
    [
      "R3 prompt",
      'prompt: { template: "excerpt" }',
      'prompt: { template: "general" }',
      "prompt: the model gets the document's prompt",
    ],
    ["R3 alternative tree-summary", "texts.length === 1 || depth >= levels", "true", "tree: chunks of"],
    [
      "R3 alternative full-history",
      'if (this.#ends.middle === "stays") return false;',
      "",
      "full history never compresses and never throws",
    ],
    [
      "R3 CX-T1",
      "if (!this.#needs(read, maxContextTokens)) return whole;",
      "",
      "CX-T1 under threshold returns full history",
    ],
    [
      "R3 CX-T3",
      "if (first < from) top.push(...whole);",
      "if (first < from - 1) top.push(...whole);",
      "the first and the last five messages always stay",
    ],
    ["R3 CX-T4", "else if (last >= to ||", "else if (last > to ||", "the first and the last five messages always stay"],
    [
      "R3 CX-T5",
      "isStateValid(cached, use)",
      "isStateValid(undefined, use)",
      "CX-T5 cached summary is reused when valid",
    ],
    ["R3 CX-T7", 'traits, role: "system" }', 'traits, role: "user" }', "CX-T7 the summary is a system message"],
    ["R3 CX-NT2", "if (messages.length === 0) throw noMessages();", "", "CX-NT2 compress with empty messages"],
    ["R3 CX-NT3", '"SERVICE_UNAVAILABLE"', '"INTERNAL"', "CX-NT3 a model failure is SERVICE_UNAVAILABLE"],
  ]),
  ...changes("core/src/context-strategy/strategies.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 param preserve_top",
      "const { preserveTop = 5, preserveBottom = 5, compressionThreshold = 0.7 } = options;",
      "const { preserveTop = 4, preserveBottom = 5, compressionThreshold = 0.7 } = options;",
      "has the defaults of the document",
    ],
    ["R3 alternative sliding-window", "keepLastN = 20", "keepLastN = 21", "sliding window keeps the last N"],
  ]),
  ...changes("core/src/budget/sandwich-trigger.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 CX-T2",
      "tokens > Math.floor(window * threshold)",
      "tokens >= Math.floor(window * threshold)",
      "CX-T2 over threshold triggers compression",
    ],
  ]),
  ...changes("core/src/context-strategy/context-state.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 CX-T6",
      " && state.summaryRange[1] === use.messageCount - use.preserveBottom",
      "",
      "CX-T6 cache is invalidated when the middle grows",
    ],
  ]),
  ...changes("core/src/context-strategy/context-service.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 lifecycle 4",
      "if (stored !== undefined && !isOurs) await states.clear(conversationId);",
      "",
      "a state of another strategy is cleared",
    ],
  ]),
  ...changes("core/src/tokens/length-counter.ts", "core/src/context-strategy/context-strategy.test.ts", [
    ["R3 estimation", "text.length / 4", "text.length / 3", "CX-T8 token estimation is reasonably accurate"],
  ]),
  ...changes("core/src/context-manager/context-manager.ts", "core/src/context-manager/context-manager.test.ts", [
    ["R2 FR-2.2", 'assertShare("maxContextPercent", options.maxContextPercent ?? 1);', "", "%j is refused"],
    [
      "R2 FR-4.1",
      "const read = [...before];",
      "const read = [...this.#sent];",
      "compaction reads what truncation has already left out",
    ],
    [
      "R2 FR-5.1",
      "currentTokens + tokens + counter.countMessages([]) <= room",
      "true",
      "never exceeds the model's limit in mode %s",
    ],
    ["R2 FR-5.2", "this.#history = [...messages];", "", "resets, and goes on from a snapshot"],
    ["R2 FR-5.3", "...(limits === undefined ? {} : { limits }),", "", "limits, thresholds and shares of one's own act"],
    [
      "R2 error 2",
      "if (result.tokens.after >= tokens || this.#compacted !== before) return false;",
      "return false;",
      "when summarization fails",
    ],
    [
      "R2 error 4",
      'if (!isMidfoldError(error, "UNKNOWN_FORMAT")) throw error;',
      "throw error;",
      "skips a message of invalid format",
    ],
    ["R2 error 5", "...(warn === undefined ? {} : { warn }),", "", "uses default limits for an unknown model"],
  ]),
  ...changes("core/src/context-manager/context-compactor.ts", "core/src/context-manager/context-manager.test.ts", [
    [
      "R2 class ContextCompactor",
      "maxSummaryTokens = 500",
      "maxSummaryTokens = 400",
      "has a prompt and a size of its own, and uses them",
    ],
  ]),
  ...changes("core/src/context-manager/truncation-mode.ts", "core/src/context-manager/context-manager.test.ts", [
    [
      "R2 class TruncationMode",
      "return new TokenBudgetStrategy();",
      "return new SmartTruncationStrategy();",
      "mode %s has its strategy",
    ],
  ]),
  ...changes("core/src/context-manager/truncation-strategy.ts", "core/src/context-manager/context-manager.test.ts", [
    ["R2 class SlidingWindowStrategy", 'asMessages([message])[0]?.role !== "system"', "true", "preserveSystem decides"],
    [
      "R2 class CompositeStrategy",
      "return truncateWith(this.strategies, messages, targetTokens, counter);",
      "return truncateWith(this.strategies.slice(0, 1), messages, targetTokens, counter);",
      "strategies of one's own chain with others",
    ],
    [
      "R2 error 3",
      "return truncateAggressively(current, targetTokens, counter);",
      "throw error;",
      "still too large: aggressive truncation",
    ],
  ]),
  ...changes("core/src/strategies/smart.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R0 2.1",
      "head: { percent: headPercent }",
      "head: { percent: headPercent / 10 }",
      "middle-out keeps a share of the start",
    ],
    ["R2 FR-3.5", "preserveFirst = 2", "preserveFirst = 1", "smart truncation keeps the first 2 and last 10"],
  ]),
  ...changes("core/src/strategies/sliding-window.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R2 FR-3.2",
      "tail: { messages, firm: true }",
      "tail: { messages: messages + 1, firm: true }",
      "sliding window keeps the last N messages",
    ],
  ]),
  ...changes("core/src/strategies/drop-oldest.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R2 FR-3.3",
      "atom < atoms.length && draft.total > goal.target",
      "atom < atoms.length",
      "token budget drops the oldest first",
    ],
  ]),
  ...changes("core/src/strategies/selective.ts", "core/src/strategies/strategies.test.ts", [
    [
      "R2 FR-3.4",
      'if (toolResultsFirst && !kept.has("exchange")) {',
      "if (false) {",
      "selective truncation leaves out tool results",
    ],
  ]),
  ...changes("core/src/clip/tool-result-compactor.ts", "core/src/clip/clip-text.test.ts", [
    [
      "R2 class ToolResultCompactor",
      "options.maxResultTokens ?? 1000",
      "options.maxResultTokens ?? 900",
      "ToolResultCompactor has the documented defaults",
    ],
  ]),
  ...changes("core/src/clip/clip-text.ts", "core/src/clip/clip-text.test.ts", [
    [
      "R2 FR-4.2",
      "findErrorLines(text)]",
      "findErrorLines(text, 0)]",
      "keeps head, tail and the error lines between them",
    ],
  ]),
  ...changes("core/src/tokens/chat-counter.ts", "core/src/tokens/counters.test.ts", [
    [
      "R2 FR-1.1",
      "if (!isMessage(message)) return this.#sum(asMessages([message]));",
      "",
      "one by one, beside Midfold's own",
    ],
  ]),
  ...changes("core/src/tokens/approximate-counter.ts", "core/src/tokens/counters.test.ts", [
    [
      "R2 class ApproximateCounter",
      "options.tokensPerWord ?? 1.3",
      "options.tokensPerWord ?? 1",
      "is words × tokensPerWord or characters ÷ 4",
    ],
  ]),
  ...changes("core/src/strategies/fold-older.ts", "core/src/fold/what-stays.test.ts", [
    [
      "R1 FR-1.4.2",
      "framed + Math.floor((folded - framed) * frameShare)",
      "Math.floor(folded * frameShare)",
      "is not shortened because little came since",
    ],
    ["R1 FR-1.3.1", "kept > retained; count++", "kept >= retained; count++", "retains a message that fits exactly"],
    ["R1 FR-1.3.4", "kept > retained; count++", "kept > retained + 150; count++", "retains 3 messages when 3 are 900"],
    [
      "R1 FR-5.3.1",
      "while (count < movable.length && whole",
      "while (count < 0 && whole",
      "first keeps fewer messages",
    ],
  ]),
  ...changes("core/src/context-manager/context-manager.ts", "core/src/context-manager/compaction-meanwhile.test.ts", [
    [
      "R2 NFR-1",
      "this.#compacted = [...result.messages, ...since];",
      "this.#compacted = [...result.messages];",
      "the session goes on while a summary is written",
    ],
  ]),
  ...changes("core/src/tokens/approximate-counter.ts", "core/src/tokens/approximate-counter.test.ts", [
    ["R0 3.2", "text.length / 4", "text.length / 40", "a model without a tokenizer"],
  ]),
  ...changes("core/src/tokens/guard-counter.ts", "core/src/tokens/guard-counter.test.ts", [
    [
      "R2 error 1",
      "return run(fallback);",
      "throw error;",
      "error scenario: a tokenizer that is not available still folds",
    ],
    [
      "R1 FR-3.3.2",
      "...(warned ? { errorBound: 1 / approximateFactor - 1 } : {}),",
      "",
      "falls back to approximate counting",
    ],
  ]),
  ...changes("core/src/models/document-tables.ts", "core/src/models/resolve-model.test.ts", [
    [
      "R1 model GPT-4o",
      'row("openai", "gpt-4o", 128_000, 16_384, "o200k_base")',
      'row("openai", "gpt-4o", 100_000, 16_384, "o200k_base")',
      "prints",
    ],
  ]),
  ...changes("core/src/models/resolve-model.ts", "core/src/models/resolve-model.test.ts", [
    ["R0 3.5", "known: certain !== undefined,", "known: true,", "gets %i and a warning"],
    [
      "R1 FR-1.2.3",
      "override.threshold ?? defaultThreshold",
      "defaultThreshold",
      "what the caller states wins over everything",
    ],
    [
      "R1 FR-1.3.2",
      "defaultRetentionTokens = 1_000",
      "defaultRetentionTokens = 900",
      "every supported model has window",
    ],
  ]),
  ...changes("core/src/presets/presets.ts", "core/src/presets/presets.test.ts", [
    ["R0 1.4", 'scope: "plain",', 'scope: "all",', "the proxy preset keeps every tool call and every result"],
  ]),
  ...changes("core/src/plan/build-view.ts", "core/src/fold/fold.property.test.ts", [
    [
      "R0 1.2",
      "if (leading || spoken[index] === 1) {",
      "if (spoken[index] === 1) {",
      "leaves the system prompt, the last user message",
    ],
    [
      "R0 1.3",
      "index === lastUser || message.pinned === true",
      "message.pinned === true",
      "leaves the system prompt, the last user message",
    ],
    [
      "R1 OQ-5",
      "index === lastUser || message.pinned === true",
      "index === lastUser",
      "leaves a pinned message as the very object it was",
    ],
  ]),
  ...changes("core/src/fold/read-conversation.ts", "core/src/fold/what-stays.test.ts", [
    ["R1 FR-1.4.2", "...(ahead as Wire[]), ", "", "is carried on by the next fold"],
  ]),
  ...changes("core/src/plan/build-view.ts", "core/src/fold/what-stays.test.ts", [
    ["R1 FR-2.2.1", "lastSaid > foldLine ? lastSaid : -1", "lastSaid", "folds up to it"],
  ]),
  ...changes("core/src/fold/start-fold.ts", "core/src/fold/what-stays.test.ts", [
    [
      "R1 FR-2.2.2",
      "at - first + 1 < last - at ? index - 1 : index",
      "false ? index - 1 : index",
      "moves out of a tool exchange",
    ],
  ]),
  ...changes("core/src/summary/summary-prompt.ts", "core/src/summary/summary-prompt.test.ts", [
    [
      "R1 OQ-1",
      'technical / messages.length >= 0.3 ? "technical"',
      'technical / messages.length >= 0.3 ? "general"',
      "takes the technical template",
    ],
  ]),
  ...changes("core/src/summary/summary-models.ts", "wire/src/summarize/model-summarizer.test.ts", [
    ["R1 OQ-4", 'anthropic: "claude-3-haiku-20240307"', 'anthropic: "claude-3-opus-20240229"', "over %s"],
  ]),
  ...changes("core/src/presets/presets.ts", "server/src/upstreams/preset-for.test.ts", [
    ["R0 2.5", "head: { percent: 20 },", "head: { percent: 12 },", "the start keeps its share of the budget"],
  ]),
  ...changes("server/src/upstreams/create-destinations.ts", "server/src/upstreams/preset-for.test.ts", [
    ["R0 2.2", 'head: {}, replace: "nothing" }', 'replace: "nothing" }', "sliding-window keeps the newest"],
    ["R0 2.5", "{ ...preset, head: { percent: headPercent } }", "preset", "the start keeps its share of the budget"],
  ]),
  ...changes("server/src/config/load-config.ts", "server/src/config/load-config.test.ts", [
    ["R0 2.4", 'strategy: "middle-out"', 'strategy: "sliding-window"', "defaults: middle-out, 20 %"],
  ]),
  ...changes("server/src/config/environment.ts", "server/src/config/load-config.test.ts", [
    [
      "R0 5.3",
      'disabled: truthy.test(readVariable(env, "DISABLE_CONTEXT_COMPRESSION") ?? ""),',
      "disabled: false,",
      "DISABLE_CONTEXT_COMPRESSION turns folding off everywhere",
    ],
  ]),
  ...changes("server/src/turn/fit-turn.ts", "server/src/turn/turn.test.ts", [
    [
      "R0 1.1",
      "if (!gateway.settings.folding || !turn.destination.folding) return false;",
      "return false;",
      "folds to the upstream's window",
    ],
    [
      "R0 5.1",
      'return headerOf(turn.request.headers, "x-disable-compression")?.toLowerCase() !== "true";',
      "return true;",
      "forwards an oversized request unchanged when the header says so",
    ],
  ]),
  ...changes("server/src/turn/answer-turn.ts", "server/src/turn/turn.test.ts", [
    [
      "R0 4.5",
      "throw overflowFor(turn, window, thrown, tokensBefore);",
      "throw overflowFor(turn, window, thrown, window.tokens + 1);",
      "says in the client's own words that nothing helps",
    ],
  ]),
  ...changes("server/src/turn/report-headers.ts", "server/src/create-server.test.ts", [
    ["R0 4.1", 'headers["x-context-compressed"] = "true";', "", "folds what the demo model's window cannot hold"],
    [
      "R0 4.2",
      "String(facts.tokensBefore)",
      "String(facts.tokensAfter)",
      "folds what the demo model's window cannot hold",
    ],
    [
      "R0 4.3",
      "String(facts.tokensAfter)",
      "String(facts.tokensBefore)",
      "folds what the demo model's window cannot hold",
    ],
  ]),
  ...changes("server/src/turn/answer-turn.ts", "server/src/create-server.test.ts", [
    [
      "R0 4.4",
      'if (outcome !== "folded" && outcome !== "reused") return;',
      "return;",
      "folds what the demo model's window cannot hold",
    ],
  ]),
  ...changes("server/src/config/load-config.ts", "cli/src/commands/serve.test.ts", [
    ["R0 5.4", "if (environment.disabled) {", "if (false) {", "a warning at startup"],
  ]),
  ...changes("server/src/chat/folds/fold-session.ts", "server/src/chat/folds/auto-fold.test.ts", [
    [
      "R1 FR-1.6.2",
      "messagesSummarized: written.folded.length,",
      "messagesSummarized: 0,",
      "tells how many messages were summarized",
    ],
  ]),
  ...changes("server/src/chat/folds/handle-folds.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-2.3.2",
      "const estimate = exact ?? expected;",
      "const estimate = expected;",
      "of %i messages is what comes of it",
    ],
  ]),
  ...changes("server/src/chat/folds/to-api-summary.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    ["R1 FR-2.4.3", "previewLength = 200", "previewLength = 150", "reports success, the first 200 characters"],
  ]),
  ...changes("server/src/chat/folds/auto-fold.ts", "server/src/chat/folds/failing-summaries.test.ts", [
    [
      "R1 FR-5.1.1",
      'source.summary === undefined ? "full-history" : "earlier-summary"',
      '"full-history"',
      "says what is really sent",
    ],
  ]),
  ...changes("core/src/summary/summary-breaker.ts", "server/src/chat/folds/failing-summaries.test.ts", [
    [
      "R1 FR-5.1.1",
      "firstPauseMs * 2 ** (failures - 1)",
      "firstPauseMs",
      "tries again on a later request with exponential backoff",
    ],
  ]),
  ...changes("server/src/chat/context/measure-usage.ts", "server/src/chat/context/context.test.ts", [
    ["R1 FR-6.1.1", "warningPercent = 80", "warningPercent = 85", "warns from 80 %"],
  ]),
  ...changes("server/src/turn/answer-turn.ts", "server/src/create-server.test.ts", [
    [
      "R0 1.5",
      "      originalTokens: tokensBefore,\n",
      "",
      "folds what the demo model's window cannot hold, and says so",
    ],
  ]),
  ...changes("server/src/config/environment.ts", "server/src/config/load-config.test.ts", [
    [
      "R0 2.3",
      'read(env, "CONTEXT_COMPRESSION_STRATEGY", strategySchema, "strategy")',
      'read(env, "COMPRESSION_STRATEGY", strategySchema, "strategy")',
      "strategy, head percent, tools and preset can be set",
    ],
  ]),
  ...changes("server/src/turn/fit-turn.ts", "server/src/turn/turn.test.ts", [
    [
      "R0 5.2",
      '"x-disable-compression")?.toLowerCase() !== "true"',
      '"x-disable-compression")?.toLowerCase() !== "never"',
      "forwards an oversized request unchanged when the header says so",
    ],
  ]),
  ...changes("server/src/chat/folds/auto-fold.ts", "server/src/chat/folds/auto-fold.test.ts", [
    [
      "R1 FR-1.1.1",
      "const over = tokens > budget.budget;",
      "const over = tokens > budget.budget + 1;",
      "folds before the request, as soon as the history is over 95 %",
    ],
    [
      "R1 FR-1.3.3",
      "retentionTokens: settings.retentionTokens,",
      "retentionTokens: 1000,",
      "takes the retention from the settings",
    ],
    [
      "R1 FR-1.6.4",
      "notify: settings.notifications",
      "notify: true",
      "tells how many messages were summarized and the new size, and what the user wants to be told",
    ],
    [
      "R1 FR-3.1.1",
      'if (!settings.autoCompression) return { reason: "disabled", tell: false };',
      "",
      "takes the threshold from the model's settings, and can be switched off per session",
    ],
  ]),
  ...changes("server/src/chat/turn/save-reply.ts", "server/src/chat/folds/auto-fold.test.ts", [
    [
      "R1 FR-1.1.4",
      "...(outputTokens === undefined ? {} : { outputTokens }),\n  };",
      "};",
      "stores input and output tokens of every message",
    ],
  ]),
  ...changes("server/src/chat/context/build-context.ts", "server/src/chat/folds/auto-fold.test.ts", [
    [
      "R1 FR-1.5.1",
      'entries.push({ kind: "summary", message: summaryMessage(source.summary) })',
      'entries.push({ kind: "summary", message: { ...summaryMessage(source.summary), role: "user" } })',
      "sends summary, the newest whole messages within 1000 tokens, and the input, in",
    ],
  ]),
  ...changes("core/src/tokens/chat-counter.ts", "server/src/chat/context/context.test.ts", [
    [
      "R1 FR-1.1.3",
      "part.text === undefined ? count(describeFile(part))",
      "part.text === undefined ? 0",
      "counts text, tool calls with input and output, and of attachments only name, type and size",
    ],
  ]),
  ...changes("server/src/chat/context/confirm-count.ts", "server/src/chat/folds/failing-summaries.test.ts", [
    [
      "R1 FR-5.2.1",
      'chat.log.error({ err: error, model: model.name }, "the provider could not count the tokens; using an estimate");',
      "",
      "logs a failed count, goes on with the estimate and a stricter threshold",
    ],
  ]),
  ...changes("server/src/chat/folds/fold-session.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-2.4.2",
      '  onProgress?.("saving", 1);\n',
      "",
      "shows progress as events, and can be cancelled while the model writes",
    ],
  ]),
  ...changes("server/src/chat/folds/fold-jobs.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-5.1.2",
      "    await tellFailure(chat, fold, error);\n",
      "",
      "reports a failure, changes nothing, and can be tried again",
    ],
  ]),
  ...changes("server/src/chat/folds/handle-folds.ts", "server/src/chat/folds/fold-by-hand.test.ts", [
    [
      "R1 FR-5.4.2",
      "weights.total < model.settings.minTokens",
      "weights.total < 0",
      "allows folding a short conversation, with a warning, and refuses an empty one",
    ],
  ]),
  ...changes("core/src/summary/templates.ts", "core/src/summary/summary-prompt.test.ts", [
    [
      "R1 FR-1.4.4",
      "4. Include tool invocations and their results\n",
      "",
      "general: the sections and guidelines of a chat's summary",
    ],
    [
      "R1 APP-B.1",
      "## Unresolved Questions\n[Any open questions or pending items]",
      "",
      "general: the sections and guidelines of a chat's summary",
    ],
    ["R1 APP-B.2", "- Bugs identified and fixes applied\n", "", "takes the code template for conversations about code"],
  ]),
  ...changes("store/src/sessions/create-snapshots.ts", "store/src/contract.sqlite.test.ts", [
    ["R1 FR-1.4.5", "token_count: content.summaryTokenCount", "token_count: 0", "stores every field of a snapshot"],
  ]),
  ...changes("store/src/sessions/snapshot-row.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-4.1.2",
      "messageCutoffId: row.message_cutoff_id ?? undefined,",
      "messageCutoffId: undefined,",
      "stores every field of a snapshot",
    ],
    [
      "R1 FR-4.2.1",
      "content: JSON.parse(row.content_json),",
      "content: {} as never,",
      "stores every field of a snapshot",
    ],
  ]),
  ...changes("store/src/sessions/message-row.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-4.1.3",
      "row.seq <= cutoffSeq",
      "row.seq < cutoffSeq",
      "says which messages a summary covers, and never rewrites an original",
    ],
  ]),
  ...changes("store/src/sessions/create-messages.ts", "store/src/contract.sqlite.test.ts", [
    ["R1 FR-4.1.1", "sum(output_tokens)", "sum(input_tokens)", "stores counts and adds them up"],
  ]),
  ...changes("store/src/sessions/read-context.ts", "store/src/contract.sqlite.test.ts", [
    [
      "R1 FR-1.5.3",
      "summary: summary.id === null ? undefined : toSummaryRecord(summary),",
      "summary: undefined,",
      "is the summary in force and only what came after it",
    ],
  ]),
  ...changes("core/src/context-manager/truncation-strategy.ts", "core/src/context-manager/context-manager.test.ts", [
    [
      "R2 class SmartTruncationStrategy",
      "preserveFirst = 2, preserveLast = 10",
      "preserveFirst = 3, preserveLast = 10",
      "smart keeps the first two and the last ten",
    ],
    [
      "R2 class TokenBudgetStrategy",
      'rung("token-budget", "drop the oldest messages", tokenBudget())',
      'rung("token-budget", "drop the oldest messages", slidingWindow({ messages: 1 }))',
      "token budget removes the oldest first, and no more than it must",
    ],
  ]),
  ...changes("core/src/context-strategy/ends-strategy.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 type ContextState",
      "summaryRange: [this.preserveTop, messageCount - this.preserveBottom],",
      "summaryRange: [this.preserveTop, messageCount],",
      "CX-T2 over threshold triggers compression",
    ],
    [
      "R3 type ContextResult",
      "const tokensUsed = this.#counter.countMessages([...top, ...said, ...bottom]);",
      "const tokensUsed = this.#counter.countMessages([...top, ...bottom]);",
      "CX-T2 over threshold triggers compression",
    ],
    ["R3 lifecycle 3", "isStateValid(cached, use) ? ", "false ? ", "CX-T5 cached summary is reused when valid"],
  ]),
  ...changes("core/src/context-strategy/context-state.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 validity 1",
      "state.summaryRange[0] === use.preserveTop && ",
      "",
      "CX-T6 cache is invalidated when the middle grows",
    ],
    [
      "R3 validity 2",
      "state.summaryRange[1] === use.messageCount - use.preserveBottom",
      "true",
      "CX-T6 cache is invalidated when the middle grows",
    ],
  ]),
  ...changes("core/src/context-strategy/context-service.ts", "core/src/context-strategy/context-strategy.test.ts", [
    [
      "R3 lifecycle 1",
      "if (result.newState !== undefined) await states.put(conversationId, result.newState);",
      "",
      "stores the state it made, uses it, and makes a new one when the middle grew",
    ],
  ]),
  ...changes("server/src/config/fold-schema.ts", "server/src/config/load-config.test.ts", [
    ["R4 yaml", "  retention_window:", "  retentionWindow:", "is read as an agent's configuration writes it"],
  ]),
  ...furtherMutations,
  ...lastMutations,
];
