import fc from "fast-check";
import {
  arbitraryOutput,
  arbitraryText,
  arbitraryThoughts,
  arbitraryUserPieces,
  arbitraryWords,
} from "./arbitrary-piece.ts";
import { assembleDraft, type Exchange, type Fate, type PlannedCall, type Round } from "./assemble-draft.ts";
import { type ConversationOptions, type ResolvedOptions, resolveOptions } from "./conversation-options.ts";
import type { Draft, HostedCall, UserStep } from "./draft.ts";
import { writeText } from "./write-text.ts";

/** Conversations before they take a wire format; `toMessages`, `toOpenaiChat` and the others write them down. */
export function arbitraryDraft(options: ConversationOptions = {}): fc.Arbitrary<Draft> {
  const resolved = resolveOptions(options);
  const { switches, valid, maxRounds, giantChars } = resolved;
  return fc
    .record({
      system: switches.systemPrompt ? fc.option(arbitraryText(resolved), { nil: undefined }) : fc.constant(undefined),
      rounds: fc.array(arbitraryRound(resolved), { minLength: 1, maxLength: maxRounds }),
      opening: switches.assistantFirst
        ? rarely(fc.constant("assistant" as const), "user" as const)
        : fc.constant("user" as const),
      ending: valid ? fc.constant("request" as const) : fc.constantFrom("request" as const, "answer" as const),
      giant: switches.giantMessage ? rarely<number | undefined>(fc.nat(99), undefined) : fc.constant(undefined),
      giantSystem: switches.giantSystem ? rarely(fc.constant(true), false) : fc.constant(false),
    })
    .map(({ giant, giantSystem, ...plan }) => {
      const draft = assembleDraft(plan);
      const swollen = giant === undefined ? draft : swell(draft, giant, giantChars);
      return giantSystem ? { ...swollen, system: writeText({ kind: "facts", seed: 7, chars: giantChars }) } : swollen;
    });
}

const rarely = <TValue>(arbitrary: fc.Arbitrary<TValue>, usual: TValue): fc.Arbitrary<TValue> =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });

const webSearch: HostedCall = { id: "", query: "fold", title: "Folding", url: "https://example.org/fold" };

function arbitraryRound(options: ResolvedOptions): fc.Arbitrary<Round> {
  const { switches, maxExchanges } = options;
  return fc.record({
    system: switches.laterSystem
      ? rarely<string | undefined>(arbitraryText(options), undefined)
      : fc.constant(undefined),
    users: fc.array(arbitraryUser(options), { minLength: 1, maxLength: switches.consecutiveUsers ? 2 : 1 }),
    exchanges: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(arbitraryExchange(options), { maxLength: maxExchanges }) },
    ),
    answer: fc.record({
      kind: fc.constant("assistant" as const),
      thoughts: arbitraryThoughts(options),
      pieces: arbitraryWords(options, false),
      hosted: switches.hostedTools ? rarely<readonly HostedCall[]>(fc.constant([webSearch]), []) : fc.constant([]),
      calls: fc.constant([]),
      pinned: switches.pinned ? rarely(fc.constant(true), false) : fc.constant(false),
    }),
    interrupted: switches.consecutiveUsers ? rarely(fc.constant(true), false) : fc.constant(false),
  });
}

function arbitraryUser(options: ResolvedOptions): fc.Arbitrary<UserStep> {
  return fc.record({
    kind: fc.constant("user" as const),
    pieces: arbitraryUserPieces(options),
    pinned: options.switches.pinned ? rarely(fc.constant(true), false) : fc.constant(false),
  });
}

function arbitraryExchange(options: ResolvedOptions): fc.Arbitrary<Exchange> {
  const { switches, maxParallelCalls } = options;
  return fc.record({
    thoughts: arbitraryThoughts(options),
    pieces: arbitraryWords(options, true),
    calls: fc.array(arbitraryCall(options), { minLength: 1, maxLength: maxParallelCalls }),
    order: fc.constantFrom("as-called" as const, "reversed" as const),
    orphan: switches.orphanResults ? rarely(fc.constant(true), false) : fc.constant(false),
    words: rarely<string | undefined>(arbitraryText(options), undefined),
  });
}

function arbitraryCall(options: ResolvedOptions): fc.Arbitrary<PlannedCall> {
  const { switches } = options;
  const fates: Fate[] = ["given"];
  if (switches.missingResults) fates.push("missing");
  if (switches.duplicateResults) fates.push("twice");
  if (switches.misplacedResults) fates.push("early", "late");
  return fc.record({
    name: fc.constantFrom("bash", "read_file", "search", ...(switches.inheritedNames ? ["constructor"] : [])),
    argument: arbitraryText({ ...options, maxChars: Math.min(400, options.maxChars) }),
    output: arbitraryOutput(options),
    isError: switches.errorResults ? rarely(fc.constant(true), false) : fc.constant(false),
    custom: switches.customTools ? rarely(fc.constant(true), false) : fc.constant(false),
    reusesId: switches.reusedIds ? rarely(fc.constant(true), false) : fc.constant(false),
    fate: fc.oneof(
      { weight: 12, arbitrary: fc.constant("given" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...fates) },
    ),
  });
}

/** Makes one message, the chosen one, far larger than the rest. */
function swell(draft: Draft, choice: number, chars: number): Draft {
  const at = choice % draft.steps.length;
  const text = writeText({ kind: "log", seed: choice, chars }).trimEnd();
  const steps = draft.steps.map((step, index) => {
    if (index !== at) return step;
    if (step.kind === "system") return { ...step, text };
    if (step.kind !== "results") return { ...step, pieces: [{ kind: "text" as const, text }] };
    const results = step.results.map((result, place) =>
      place === 0 ? { ...result, pieces: [{ kind: "text" as const, text }] } : result,
    );
    return { ...step, results };
  });
  return { ...draft, steps };
}
