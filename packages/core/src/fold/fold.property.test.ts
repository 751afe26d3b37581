import { arbitraryWireConversation, validateWire } from "@midfold/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFrame } from "../digest/frame.ts";
import { isMidfoldError } from "../errors/midfold-error.ts";
import type { FormatName } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import type { Message } from "../message/message.ts";
import type { PresetName } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { FoldResult } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("gpt-4o");
const formatNames = Object.keys(formats) as FormatName[];
const presetNames = Object.keys(presets) as PresetName[];
const runs = Number(process.env.MIDFOLD_PROPERTY_RUNS ?? 60);

/** A property that returns early too often has shown nothing: counts the runs that were checked. */
function countChecks() {
  let times = 0;
  return {
    one: () => {
      times++;
    },
    /** At least one in twenty: one in four is the least that is usual, and the inputs are random. */
    enough: (numRuns: number) => expect(times).toBeGreaterThanOrEqual(Math.floor(numRuns / 20)),
  };
}

/** Folds, or undefined when it cannot fit; anything else thrown is a failure. */
function tryFold(wire: readonly unknown[], options: Parameters<typeof foldSync>[1]): FoldResult<unknown> | undefined {
  try {
    return foldSync(wire, { counter, onInvalid: "skip", ...options });
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return undefined;
    throw error;
  }
}

const inputs = (format: FormatName, valid = false, switches = {}) =>
  fc.record({
    conversation: arbitraryWireConversation(format, { valid, maxChars: 1_500, giantChars: 12_000, switches }),
    budget: fc.integer({ min: 200, max: 12_000 }),
    preset: fc.constantFrom(...presetNames),
  });

/** Every call answered exactly once, every result after its own call; written apart from the engine's own matching. */
function pairProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const open = new Map<string, number>();
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === "tool-call" && part.hosted !== true) {
        if (open.has(part.id)) problems.push(`call ${part.id} at ${index} before the earlier one was answered`);
        open.set(part.id, index);
      }
      if (part.type === "tool-result" && part.hosted !== true && !open.delete(part.callId)) {
        problems.push(`result ${part.callId} at ${index} answers nothing`);
      }
    }
  });
  // The newest assistant turn may still be running its tools.
  let running = messages.length;
  while (messages[running - 1]?.role === "tool") running--;
  const closed = messages[running - 1]?.role !== "assistant";
  while (messages[running - 1]?.role === "assistant") running--;
  for (const [id, index] of open) if (index < running || closed) problems.push(`call ${id} is unanswered`);
  return problems;
}

const hasResults = (message: Message) => message.parts.some((part) => part.type === "tool-result");

describe.each(formatNames)("fold of %s", (format) => {
  const decode = (wire: readonly unknown[]) => formats[format].decode(wire, { onInvalid: "skip" });

  it("is never over budget, by an independent count of what goes out", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format), ({ conversation, budget, preset }) => {
        const { system } = conversation;
        const result = tryFold(conversation.messages, { format, budget, preset, ...(system && { system }) });
        if (result === undefined) return;
        checks.one();
        let tokens = counter.countMessages(decode(result.messages));
        if (system) tokens += counter.countMessage({ role: "system", parts: [{ type: "text", text: system }] });
        expect(tokens).toBeLessThanOrEqual(budget);
        expect(result.tokens.after).toBeLessThanOrEqual(budget);
      }),
      { numRuns: runs * 3, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("leaves the system prompt, the last user message and pinned messages as the very objects they were", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format), ({ conversation, budget, preset }) => {
        const result = tryFold(conversation.messages, { format, budget, preset });
        if (result === undefined) return;
        checks.one();
        const out = new Set(result.messages);
        const before = decode(conversation.messages);
        for (let i = 0; before[i]?.role === "system"; i++) expect(out.has(before[i]!.source)).toBe(true);
        const lastUser = before.findLast((message) => message.role === "user" && !isFrame(message));
        const clipped = result.warnings.some((warning) => warning.code === "last-message-clipped");
        if (lastUser !== undefined) expect(out.has(lastUser.source)).toBe(!clipped);
        for (const message of before) if (message.pinned === true) expect(out.has(message.source)).toBe(true);
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("leaves a pinned message as the very object it was, wherever it stands", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format), fc.nat(), ({ conversation, budget, preset }, at) => {
        const messages: unknown[] = [...conversation.messages];
        const pinned = { ...(messages[at % messages.length] as object), pinned: true };
        messages[at % messages.length] = pinned;
        const result = tryFold(messages, { format, budget, preset });
        if (result?.outcome !== "folded" || decode([pinned]).length === 0) return;
        checks.one();
        expect(result.messages).toContain(pinned);
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("answers every tool call exactly once, whatever came in", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(
        fc.oneof(inputs(format), inputs(format, false, { pinned: false }), inputs(format, true, { pinned: false })),
        ({ conversation, budget, preset }) => {
          const result = tryFold(conversation.messages, { format, budget, preset });
          if (result?.outcome !== "folded") return;
          const out = decode(result.messages);
          // Messages that must stay word for word may bring their broken pairs along.
          const broken = out.some(
            (message) => message.pinned === true || (message.role === "user" && hasResults(message)),
          );
          if (broken) return;
          checks.one();
          expect(pairProblems(out)).toEqual([]);
        },
      ),
      { numRuns: runs * 2, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("keeps the order, and messages it does not touch are the same objects", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format), ({ conversation, budget, preset }) => {
        const result = tryFold(conversation.messages, { format, budget, preset });
        if (result === undefined) return;
        checks.one();
        const positions = new Map(conversation.messages.map((message, index) => [message, index]));
        const kept = result.messages.map((message) => positions.get(message as never)).filter((at) => at !== undefined);
        expect(kept).toEqual([...kept].sort((a, b) => a - b));
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("changes nothing when everything fits, and folding a folded conversation that fits changes nothing", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format, true), ({ conversation, budget, preset }) => {
        const roomy = foldSync(conversation.messages, {
          format,
          budget: 10_000_000,
          window: 20_000_000,
          preset: "proxy",
          counter,
        });
        expect(roomy.messages).toBe(conversation.messages);
        expect(roomy.changed).toBe(false);
        const result = tryFold(conversation.messages, { format, budget, preset });
        if (result === undefined) return;
        checks.one();
        const again = foldSync(result.messages, { format, budget, preset, counter, onInvalid: "skip" });
        expect(again.messages).toBe(result.messages);
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("is deterministic: same input, same plan, same bytes", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format), ({ conversation, budget, preset }) => {
        const copy = structuredClone(conversation.messages);
        const one = tryFold(conversation.messages, { format, budget, preset });
        const two = tryFold(copy, { format, budget, preset });
        if (one?.outcome === "folded") checks.one();
        expect(JSON.stringify(two?.messages)).toBe(JSON.stringify(one?.messages));
        expect(JSON.stringify(two?.plan)).toBe(JSON.stringify(one?.plan));
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("keeps a subset when the budget shrinks", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(
        inputs(format),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        ({ conversation, budget, preset: name }, share) => {
          // The tail alone: head and frame share the room with it, and a newest message that is clipped leaves room to
          // older ones, so that a larger budget may keep fewer of them.
          const shape = { replace: "nothing", head: {}, rungs: ["fold-middle"] } as const;
          const preset = { ...presets[name], ...shape };
          const [large, small] = [budget, Math.max(1, Math.floor(budget * share))].map((tokens) =>
            tryFold(conversation.messages, { format, budget: tokens, preset }),
          );
          if (small === undefined || large === undefined || large.plan?.decisions.at(-1)?.do === "drop") return;
          checks.one();
          const wide = new Set(large.messages);
          const originals = new Set<unknown>(conversation.messages);
          const extra = small.messages.filter((message) => originals.has(message) && !wide.has(message));
          expect(extra).toEqual([]);
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });

  it("is sticky: while the conversation grows, what was sent stays byte-identical until the next fold", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format, true), ({ conversation, budget, preset }) => {
        const { messages } = conversation;
        let state: FoldResult<unknown>["state"];
        let sent: string[] = [];
        for (let end = Math.max(1, messages.length - 8); end <= messages.length; end++) {
          const result = tryFold(messages.slice(0, end), { format, budget, preset, ...(state && { state }) });
          if (result === undefined) return;
          const lines = result.messages.map((message) => JSON.stringify(message));
          if (result.outcome === "reused") {
            checks.one();
            expect(lines.slice(0, sent.length)).toEqual(sent);
          }
          if (result.outcome === "reused" || result.outcome === "folded") sent = lines;
          state = result.state ?? state;
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
    checks.enough(runs);
  });
});

describe.each(formatNames.filter((name) => name !== "ai-sdk"))("what goes out as %s", (format) => {
  it("is accepted by a provider as strict as the real ones, when what came in was", () => {
    const checks = countChecks();
    fc.assert(
      fc.property(inputs(format, true), ({ conversation, budget, preset }) => {
        const { system } = conversation;
        const result = tryFold(conversation.messages, { format, budget, preset, ...(system && { system }) });
        if (result?.outcome !== "folded") return;
        checks.one();
        const messages = result.messages as typeof conversation.messages;
        expect(validateWire({ ...conversation, messages })?.message).toBeUndefined();
      }),
      { numRuns: runs * 3, endOnFailure: true },
    );
    checks.enough(runs);
  });
});
