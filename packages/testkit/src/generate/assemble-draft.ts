import type { AssistantStep, Call, Draft, Result, Step, TextPiece, Thought, UserStep } from "./draft.ts";

/** What becomes of a call's result: given in place, missing, given twice, before its call, or after the next step. */
export type Fate = "given" | "missing" | "twice" | "early" | "late";

export interface PlannedCall {
  readonly name: string;
  readonly argument: string;
  readonly output: Result["pieces"];
  readonly isError: boolean;
  readonly custom: boolean;
  readonly reusesId: boolean;
  readonly fate: Fate;
}

export interface Exchange {
  readonly thoughts: readonly Thought[];
  readonly pieces: readonly TextPiece[];
  readonly calls: readonly PlannedCall[];
  readonly order: "as-called" | "reversed";
  readonly orphan: boolean;
  readonly words: string | undefined;
}

export interface Round {
  readonly system: string | undefined;
  readonly users: readonly UserStep[];
  readonly exchanges: readonly Exchange[];
  readonly answer: AssistantStep;
  /** The user speaks again before the assistant has answered. */
  readonly interrupted: boolean;
}

export interface DraftPlan {
  readonly system: string | undefined;
  readonly rounds: readonly Round[];
  readonly opening: "user" | "assistant";
  readonly ending: "request" | "answer";
}

/** Lays the rounds out as one list of steps and gives every call its id. */
export function assembleDraft({ system, rounds, opening, ending }: DraftPlan): Draft {
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
