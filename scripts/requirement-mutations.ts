/** A behaviour taken away, the requirement that then no longer holds, and the test that must notice. */
export interface RequirementMutation {
  readonly row: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly test: string;
  /** Part of the title of the test that fails. */
  readonly title: string;
}

const core = "packages/core/src";
const compact = { file: `${core}/strategies/assistant-spans.ts`, test: `${core}/compact/compact.test.ts` };
const ends = {
  file: `${core}/context-strategy/ends-strategy.ts`,
  test: `${core}/context-strategy/context-strategy.test.ts`,
};
const manager = {
  file: `${core}/context-manager/context-manager.ts`,
  test: `${core}/context-manager/context-manager.test.ts`,
};
const truncation = { ...manager, file: `${core}/context-manager/truncation-strategy.ts` };
const budget = { test: `${core}/budget/budget-formulas.test.ts` };

/** `npm run prove` applies each of these in memory, one at a time, and fails where the named test still passes. */
export const requirementMutations: readonly RequirementMutation[] = [
  {
    row: "R0 3.3",
    file: `${core}/budget/output-reserve.ts`,
    find: "window - defaultSafetyTokens - 1",
    replace: "window * maxReserveShare",
    ...budget,
    title: "also above half of the window",
  },
  {
    row: "R0 3.4",
    file: `${core}/budget/output-reserve.ts`,
    find: "defaultSafetyTokens = 100",
    replace: "defaultSafetyTokens = 90",
    ...budget,
    title: "window − max completion − 100",
  },
  {
    row: "R4 example",
    ...compact,
    find: "draft.setFrame(span, frame);",
    replace: "draft.setFrame(span, frame < 160 ? 0 : frame);",
    title: "R4 5.2 turns the work between two user messages",
  },
  {
    row: "R4 capability 3",
    file: `${core}/fold/start-fold.ts`,
    test: compact.test,
    find: "if (known?.frame === undefined) return undefined;",
    replace: "return undefined;",
    title: "R4 4.1 incremental: a span is summarised once",
  },
  {
    row: "R4 process 4",
    file: `${core}/fold/finish-fold.ts`,
    test: compact.test,
    find: "const stays = gained <= 0 ||",
    replace: "const stays = false &&",
    title: "a span whose summary would be longer than itself stays",
  },
  {
    row: "R4 param token_threshold",
    file: `${core}/compact/compact-config.ts`,
    test: compact.test,
    find: "token_threshold: 60_000,",
    replace: "token_threshold: 70_000,",
    title: "R4 4.2 does nothing at the default threshold",
  },
  {
    row: "R4 param model",
    file: `${core}/compact/compact.ts`,
    test: compact.test,
    find: "parsed.model ?? options.model",
    replace: "options.model",
    title: "which model shall write",
  },
  {
    row: "R4 param summary_tag",
    file: `${core}/compact/compact.ts`,
    test: compact.test,
    find: "summaryTag: parsed.summary_tag,",
    replace: "",
    title: "R4 4.2 asks by the default prompt for the tag",
  },
  {
    row: "R3 alternative tree-summary",
    ...ends,
    find: "texts.length === 1 || depth >= levels",
    replace: "true",
    title: "tree: chunks of",
  },
  {
    row: "R3 alternative full-history",
    ...ends,
    find: 'if (this.#ends.middle === "stays") return false;',
    replace: "",
    title: "full history never compresses and never throws",
  },
  {
    row: "R3 CX-T3",
    ...ends,
    find: "if (first < from) top.push(...whole);",
    replace: "if (first < from - 1) top.push(...whole);",
    title: "the first and the last five messages always stay",
  },
  {
    row: "R3 CX-T4",
    ...ends,
    find: "else if (last >= to ||",
    replace: "else if (last > to ||",
    title: "the first and the last five messages always stay",
  },
  {
    row: "R3 CX-T5",
    ...ends,
    find: "isStateValid(cached, use)",
    replace: "isStateValid(undefined, use)",
    title: "CX-T5 cached summary is reused when valid",
  },
  {
    row: "R3 algorithm",
    ...ends,
    find: "mustShrink: false",
    replace: "mustShrink: true",
    title: "a small middle is summarised",
  },
  {
    row: "R3 lifecycle 4",
    file: `${core}/context-strategy/context-service.ts`,
    test: ends.test,
    find: "if (stored !== undefined && !isOurs) await states.clear(conversationId);",
    replace: "",
    title: "a state of another strategy is cleared",
  },
  {
    row: "R3 estimation",
    file: `${core}/tokens/length-counter.ts`,
    test: ends.test,
    find: "text.length / 4",
    replace: "text.length / 3",
    title: "CX-T8 token estimation is reasonably accurate",
  },
  {
    row: "R2 error 2",
    ...manager,
    find: "if (result.tokens.after >= this.#compactedTokens) return false;",
    replace: "return false;",
    title: "R2 error 2 when summarization fails",
  },
  {
    row: "R2 error 3",
    ...truncation,
    find: "return truncateAggressively(current, targetTokens, counter);",
    replace: "throw error;",
    title: "R2 error 3",
  },
  {
    row: "R2 class SlidingWindowStrategy",
    ...truncation,
    find: 'asMessages([message])[0]?.role !== "system"',
    replace: "true",
    title: "preserveSystem decides",
  },
  {
    row: "R2 class CompositeStrategy",
    ...truncation,
    find: "return truncateWith(this.strategies, messages, targetTokens, counter);",
    replace: "return truncateWith(this.strategies.slice(0, 1), messages, targetTokens, counter);",
    title: "strategies of one's own chain with others",
  },
  {
    row: "R2 FR-5.3",
    ...manager,
    find: "...(limits === undefined ? {} : { limits }),",
    replace: "",
    title: "limits, thresholds and shares of one's own act",
  },
  {
    row: "R2 FR-1.1",
    file: `${core}/tokens/message-weights.ts`,
    test: `${core}/tokens/counters.test.ts`,
    find: "if (!isMessage(message)) return this.#sum(asMessages([message]));",
    replace: "",
    title: "one by one, beside Midfold's own",
  },
  {
    row: "R1 model GPT-4o",
    file: `${core}/models/document-tables.ts`,
    test: `${core}/models/resolve-model.test.ts`,
    find: 'row("openai", "gpt-4o", 128_000, 16_384, "o200k_base")',
    replace: 'row("openai", "gpt-4o", 100_000, 16_384, "o200k_base")',
    title: "prints",
  },
];
