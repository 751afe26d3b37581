import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMidfoldError } from "../errors/midfold-error.ts";
import type { FormatName } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { conversationOf } from "../formats/generate-wire.test-data.ts";
import { presets } from "../presets/presets.ts";
import { TiktokenCounter } from "../tokens/tiktoken-counter.ts";
import { foldSync } from "./fold-sync.ts";
import { readMessages } from "./read-messages.ts";

type Wire = Record<string, unknown>;

/** What callers do to a conversation between two folds. */
type Step =
  | { readonly do: "grow"; readonly by: number }
  | { readonly do: "cut"; readonly by: number }
  | { readonly do: "edit"; readonly at: number; readonly leaf: number }
  | { readonly do: "field"; readonly at: number; readonly field: string; readonly value: unknown }
  | { readonly do: "replace"; readonly at: number };

const place = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("grow" as const), by: fc.integer({ min: 1, max: 3 }) }) },
  fc.record({ do: fc.constant("cut" as const), by: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant("edit" as const), at: place, leaf: place }),
  fc.record({
    do: fc.constant("field" as const),
    at: place,
    field: fc.constantFrom("content", "name", "id", "pinned", "midfold", "role", "tool_calls", "refusal", "reasoning"),
    value: fc.oneof(
      fc.constantFrom("user", "system", "assistant", "", null, true, { pinned: true }, [{ type: "text", text: "new" }]),
      fc.constant([{ id: "call_9", type: "function", function: { name: "look", arguments: "{}" } }]),
      fc.constant(undefined),
    ),
  }),
  fc.record({ do: fc.constant("replace" as const), at: place }),
);

/** Every place in a wire object that holds a text, deep down too. */
function leaves(value: unknown, found: [Wire, string][] = []): [Wire, string][] {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === "string" && key !== "type" && key !== "role") found.push([value as Wire, key]);
    else leaves(inner, found);
  }
  return found;
}

function carryOut(wire: Wire[], step: Step, spare: Wire[]): Wire[] {
  const at = "at" in step && wire.length > 0 ? wire[step.at % wire.length]! : undefined;
  if (step.do === "grow") return [...wire, ...spare.splice(0, step.by)];
  if (step.do === "cut") return wire.slice(0, Math.max(1, wire.length - step.by));
  if (step.do === "replace" && at !== undefined) {
    const [other] = spare.splice(0, 1);
    return other === undefined ? wire : wire.map((message) => (message === at ? other : message));
  }
  if (step.do === "field" && at !== undefined) {
    if (step.value === undefined) delete at[step.field];
    else at[step.field] = structuredClone(step.value);
  }
  if (step.do === "edit" && at !== undefined) {
    const texts = leaves(at);
    const [holder, key] = texts[step.leaf % Math.max(1, texts.length)] ?? [];
    if (holder !== undefined && key !== undefined) holder[key] = `${holder[key]} and more`;
  }
  return wire;
}

/** The outcome of a fold as plain data, so that two can be compared whichever objects they are made of. */
function outcome(wire: readonly unknown[], format: FormatName, budget: number, counter: TiktokenCounter): unknown {
  try {
    const { messages, plan, tokens, state } = foldSync(wire, {
      format,
      budget,
      counter,
      onInvalid: "skip",
      preset: presets.agent,
    });
    return structuredClone({ messages, plan, tokens, state });
  } catch (error) {
    if (isMidfoldError(error)) return { code: error.code, message: error.message };
    throw error;
  }
}

describe.each(Object.keys(formats) as FormatName[])("reading %s again", (format) => {
  it("gives what reading it for the first time gives, whatever was done to it in between", () => {
    const counter = new TiktokenCounter("gpt-4o");
    fc.assert(
      fc.property(
        conversationOf(format),
        conversationOf(format),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 40, max: 400 }),
        (start, more, steps, budget) => {
          let wire = start as Wire[];
          const spare = [...more] as Wire[];
          outcome(wire, format, budget, counter);
          for (const each of steps) {
            wire = carryOut(wire, each, spare);
            const skip = { onInvalid: "skip" } as const;
            const copy = structuredClone(wire);
            const { messages } = readMessages(wire, formats[format], skip);
            expect(structuredClone(messages)).toEqual(formats[format].decode(copy, skip));
            const again = outcome(wire, format, budget, counter);
            expect(again).toEqual(outcome(copy, format, budget, new TiktokenCounter("gpt-4o")));
          }
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
  });
});
