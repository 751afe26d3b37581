import fc from "fast-check";
import { type ConversationOptions, type ResolvedOptions, resolveOptions } from "./conversation-options.ts";
import type {
  AssistantStep,
  Call,
  Draft,
  HostedCall,
  Piece,
  Result,
  Step,
  TextPiece,
  Thought,
  UserStep,
} from "./draft.ts";
import { sealThought } from "./sign-thought.ts";
import { type TextKind, textKinds, writeText } from "./write-text.ts";

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

const plainKinds: readonly TextKind[] = ["prose", "code", "log", "json", "facts"];

/** Text of realistic kinds and sizes: mostly short, sometimes long; it shrinks towards short prose. */
function arbitraryText({ maxChars, switches }: ResolvedOptions): fc.Arbitrary<string> {
  const kinds = switches.unicode ? textKinds : plainKinds;
  const chars = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: Math.min(120, maxChars) }) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: Math.min(1_000, maxChars) }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: maxChars }) },
  );
  return fc
    .record({ kind: fc.constantFrom(...kinds), seed: fc.nat(9_999), chars })
    .map((options) => writeText(options))
    .map((text) => (text.trim() === "" ? "ok" : text.trimEnd()));
}

const arbitraryTextPiece = (options: ResolvedOptions): fc.Arbitrary<TextPiece> =>
  arbitraryText(options).map((text) => ({ kind: "text", text }));

const image: fc.Arbitrary<Piece> = fc.constantFrom<Piece>(
  { kind: "image", width: 1, height: 1 },
  { kind: "image", width: 640, height: 480 },
  { kind: "image", width: 1536, height: 1024 },
  { kind: "image", width: 0, height: 0, url: "https://example.org/plan.png" },
);

const unknown: fc.Arbitrary<Piece> = fc
  .record({
    type: fc.constantFrom("hologram", "telemetry_v9", "constructor"),
    value: fc.dictionary(
      fc.constantFrom("note", "level", "toString", "nested"),
      fc.oneof(fc.string({ maxLength: 40 }), fc.nat(), fc.constant({ deep: [1, null, "x"] })),
    ),
  })
  .map(({ type, value }) => ({ kind: "unknown", type, value }));

/** The content of a user message: words first, then whatever was attached. Empty only where that is allowed. */
function arbitraryUserPieces(options: ResolvedOptions): fc.Arbitrary<readonly Piece[]> {
  const { images, files, unknownBlocks, emptyMessages } = options.switches;
  const text = arbitraryTextPiece(options);
  const file: fc.Arbitrary<Piece> = arbitraryText(options).map((body) => ({
    kind: "file",
    name: "notes.txt",
    text: body,
  }));
  const extras: fc.Arbitrary<Piece>[] = [text];
  if (images) extras.push(image);
  if (files) extras.push(file);
  if (unknownBlocks) extras.push(unknown);
  const choices: fc.WeightedArbitrary<readonly Piece[]>[] = [
    { weight: 8, arbitrary: text.map((piece) => [piece]) },
    { weight: 2, arbitrary: fc.tuple(text, fc.oneof(...extras)) },
  ];
  if (emptyMessages) {
    choices.push({ weight: 1, arbitrary: fc.constantFrom<readonly Piece[]>([], [{ kind: "text", text: "" }]) });
  }
  return fc.oneof(...choices);
}

/** The words of an assistant message, which may be absent where calls follow. */
function arbitraryWords(options: ResolvedOptions, mayBeAbsent: boolean): fc.Arbitrary<readonly TextPiece[]> {
  const spoken = arbitraryTextPiece(options).map((piece) => [piece]);
  const choices: fc.WeightedArbitrary<readonly TextPiece[]>[] = [{ weight: 6, arbitrary: spoken }];
  if (mayBeAbsent) choices.push({ weight: 4, arbitrary: fc.constant([]) });
  if (options.switches.emptyMessages) choices.push({ weight: 1, arbitrary: fc.constant([{ kind: "text", text: "" }]) });
  return fc.oneof(...choices);
}

function arbitraryThoughts(options: ResolvedOptions): fc.Arbitrary<readonly Thought[]> {
  if (!options.switches.reasoning) return fc.constant([]);
  const thought: fc.Arbitrary<Thought> = fc.oneof(
    { weight: 3, arbitrary: arbitraryText(options).map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.nat(999).map((seed) => ({ opaque: sealThought(`thought ${seed}`) })) },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(thought, { minLength: 1, maxLength: 2 }) },
  );
}

/** The output of a tool: usually text, now and then a picture or nothing. */
function arbitraryOutput(
  options: ResolvedOptions,
): fc.Arbitrary<readonly (TextPiece | Extract<Piece, { kind: "image" }>)[]> {
  type Output = readonly (TextPiece | Extract<Piece, { kind: "image" }>)[];
  const choices: fc.WeightedArbitrary<Output>[] = [
    { weight: 8, arbitrary: arbitraryTextPiece(options).map((piece) => [piece]) },
    { weight: 1, arbitrary: fc.constant([]) },
  ];
  if (options.switches.images) {
    choices.push({
      weight: 1,
      arbitrary: arbitraryTextPiece(options).map((piece) => [piece, { kind: "image", width: 64, height: 64 }]),
    });
  }
  return fc.oneof(...choices);
}

/** What becomes of a call's result: given in place, missing, given twice, before its call, or after the next step. */
type Fate = "given" | "missing" | "twice" | "early" | "late";

interface PlannedCall {
  readonly name: string;
  readonly argument: string;
  readonly output: Result["pieces"];
  readonly isError: boolean;
  readonly custom: boolean;
  readonly reusesId: boolean;
  readonly fate: Fate;
}

interface Exchange {
  readonly thoughts: readonly Thought[];
  readonly pieces: readonly TextPiece[];
  readonly calls: readonly PlannedCall[];
  readonly order: "as-called" | "reversed";
  readonly orphan: boolean;
  readonly words: string | undefined;
}

interface Round {
  readonly system: string | undefined;
  readonly users: readonly UserStep[];
  readonly exchanges: readonly Exchange[];
  readonly answer: AssistantStep;
  /** The user speaks again before the assistant has answered. */
  readonly interrupted: boolean;
}

interface DraftPlan {
  readonly system: string | undefined;
  readonly rounds: readonly Round[];
  readonly opening: "user" | "assistant";
  readonly ending: "request" | "answer";
}

/** Lays the rounds out as one list of steps and gives every call its id. */
function assembleDraft({ system, rounds, opening, ending }: DraftPlan): Draft {
  const steps: Step[] = [];
  const ids = createIds();
  let late: Result[] = [];
  const releaseLate = () => {
    if (late.length > 0) steps.push({ kind: "results", results: late });
    late = [];
  };
  if (opening === "assistant") {
    steps.push({ kind: "assistant", pieces: [{ kind: "text", text: "Hello, what shall we do?" }], calls: [] });
  }
  rounds.forEach((round, index) => {
    const isLast = index === rounds.length - 1;
    steps.push(...round.users);
    // Behind a user turn and before the assistant's: the one place where the providers that allow it accept it.
    if (round.system !== undefined) steps.push({ kind: "system", text: round.system });
    releaseLate();
    for (const exchange of round.exchanges) {
      const laid = layExchange(exchange, ids);
      steps.push(...laid.steps);
      releaseLate();
      late = laid.late;
    }
    const answered = isLast ? ending === "answer" : !round.interrupted;
    if (answered) {
      steps.push({
        ...round.answer,
        hosted: (round.answer.hosted ?? []).map((call) => ({ ...call, id: ids.next("srvtoolu") })),
      });
    }
  });
  releaseLate();
  return system === undefined ? { steps } : { system, steps };
}

function layExchange(exchange: Exchange, ids: Ids): { readonly steps: Step[]; readonly late: Result[] } {
  const calls: Call[] = [];
  const early: Result[] = [];
  const placed: Result[] = [];
  const late: Result[] = [];
  for (const planned of exchange.calls) {
    const id = planned.reusesId ? ids.last() : ids.next("call");
    const input = planned.custom ? planned.argument : JSON.stringify({ argument: planned.argument });
    const custom = planned.custom ? { custom: true } : {};
    calls.push({ id, name: planned.name, input, ...custom });
    const isError = planned.isError ? { isError: true } : {};
    const result: Result = { callId: id, name: planned.name, pieces: planned.output, ...isError, ...custom };
    if (planned.fate === "given") placed.push(result);
    if (planned.fate === "twice") placed.push(result, result);
    if (planned.fate === "early") early.push(result);
    if (planned.fate === "late") late.push(result);
  }
  if (exchange.order === "reversed") placed.reverse();
  if (exchange.orphan) {
    placed.push({ callId: ids.next("orphan"), name: "bash", pieces: [{ kind: "text", text: "nobody asked" }] });
  }
  const steps: Step[] = [];
  if (early.length > 0) steps.push({ kind: "results", results: early });
  steps.push({ kind: "assistant", thoughts: exchange.thoughts, pieces: exchange.pieces, calls });
  const words = exchange.words === undefined ? {} : { words: exchange.words };
  if (placed.length > 0) steps.push({ kind: "results", results: placed, ...words });
  return { steps, late };
}

interface Ids {
  next(prefix: string): string;
  last(): string;
}

function createIds(): Ids {
  let serial = 0;
  let last = "call_0";
  return {
    next(prefix) {
      serial += 1;
      last = `${prefix}_${serial.toString(36).padStart(8, "0")}`;
      return last;
    },
    last: () => last,
  };
}
