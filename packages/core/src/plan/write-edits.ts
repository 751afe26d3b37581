import { findRunning } from "../atoms/find-running.ts";
import type { PartPlace, ToolPairs } from "../atoms/match-tool-pairs.ts";
import { clipMessage } from "../clip/clip-message.ts";
import type { FormatTraits } from "../formats/format.ts";
import { type Message, textOf } from "../message/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../message/part.ts";
import { type Side, turnLines } from "../message/turn-lines.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { insert } from "./apply-edits.ts";
import type { Edit } from "./fold-record.ts";
import { frameLines, takesTurns } from "./frame-lines.ts";
import type { Cut, Plan } from "./plan.ts";
import { firstSpeaker, sideOf, speakerOf } from "./turns.ts";
import type { View } from "./view.ts";

export interface WriteEditsInput {
  readonly plan: Plan;
  readonly view: View;
  readonly pairs: ToolPairs;
  readonly traits: FormatTraits;
  readonly frameRole: "system" | "user" | "assistant";
  /** One text per span of the plan, frame included. */
  readonly frames: readonly string[];
}

/** Turns a plan and the texts of its frames into edits by message index, in order. */
export function writeEdits(input: WriteEditsInput): Edit[] {
  const { plan, view, traits } = input;
  const { messages, atoms } = view;
  const edits: Edit[] = [];
  const cuts = new Map(plan.cuts.map((cut) => [cut.message, cut]));
  const repairs = planRepairs(input);
  const spanAt = new Map(plan.spans.map((span, index) => [span.atoms[0]!, index]));
  const remains = plan.decisions.map((decision) => decision.do === "keep" || decision.do === "clip");

  let opened = false;
  let turn: Side | undefined;
  // A preset that wants frames said by the system or the assistant fixes what stands in a gap.
  const mended = takesTurns(traits, input.frameRole);
  /** Whether folded messages were left out since then. */
  let gap = false;
  for (let atom = 0; atom < atoms.length; atom++) {
    const { first, last } = atoms[atom]!;
    const span = remains[atom] === true ? undefined : spanAt.get(atom);
    const text = span === undefined ? "" : input.frames[span]!;
    if (text !== "") {
      const kept = remains.indexOf(true, atom);
      const after = speakerOf(kept < 0 ? undefined : messages[atoms[kept]!.first]);
      for (const line of frameLines({ text, before: turn, after, traits, role: input.frameRole })) {
        edits.push(insert(first, line.role, line.text));
        if (line.role !== "system") turn = line.role;
      }
      opened = true;
    }
    if (remains[atom] !== true) {
      pushDrop(edits, first, last);
      const decision = plan.decisions[atom]!;
      // A list that only lost its start, in so little room that no frame fits, has none for a line either.
      const untold = decision.do === "drop" && decision.untold === true && turn !== undefined;
      gap ||= mended && (decision.do === "fold" || untold);
      continue;
    }
    for (let index = first; index <= last; index++) {
      const own = [...editMessage(input, index, cuts.get(index), repairs)];
      const gone = own.some((edit) => edit.do === "drop");
      const followed = index < last || remains[atom + 1] === true;
      const side = sideOf(messages[index]!, followed ? messages[index + 1] : undefined, traits);
      // Asked of every message: one that repairs took away does not open the list.
      if (!gone && !opened && needsOpening(traits, messages, index)) {
        edits.push(insert(index, "user", turnLines.user));
      } else if (!gone && gap && side !== undefined && side === (turn ?? "assistant")) {
        const other = side === "user" ? "assistant" : "user";
        edits.push(insert(index, other, turnLines[other]));
      }
      edits.push(...own);
      if (gone || messages[index]!.role === "system") continue;
      opened = true;
      if (side === undefined) continue;
      turn = side;
      gap = false;
    }
  }
  return edits;
}

const noResult = "[No result was recorded for this call.]";

/** Where a protocol wants the user to speak first, a list that lost its start gets one sentence in front. */
function needsOpening(traits: FormatTraits, messages: readonly Message[], first: number): boolean {
  if (!traits.alternates) return false;
  if (first === 0 || messages[first]!.role !== "assistant") return false;
  return firstSpeaker(messages) !== "assistant";
}

interface Repairs {
  readonly strays: ReadonlyMap<number, readonly PartPlace[]>;
  readonly appended: ReadonlyMap<number, readonly ToolResultPart[]>;
  readonly inserted: ReadonlyMap<number, readonly ToolResultPart[]>;
}

/** Answers calls that never got a result and removes results that answer nothing, as providers demand. */
function planRepairs({ view, pairs, traits }: WriteEditsInput): Repairs {
  const strays = new Map<number, PartPlace[]>();
  const appended = new Map<number, ToolResultPart[]>();
  const inserted = new Map<number, ToolResultPart[]>();
  for (const stray of pairs.strays) if (!view.verbatim.has(stray.message)) push(strays, stray.message, stray);
  const running = findRunning(view.messages);
  for (const { message, part } of pairs.unanswered) {
    // The newest calls may still be running.
    if (message >= running) continue;
    const call = view.messages[message]!.parts[part] as ToolCallPart;
    const answer: ToolResultPart = {
      type: "tool-result",
      callId: call.id,
      name: call.name,
      content: [{ type: "text", text: noResult }],
      ...(call.custom === true ? { custom: true } : {}),
    };
    const reach = pairs.reach[message]!;
    if (traits.groupedResults && reach > message && !view.verbatim.has(reach)) push(appended, reach, answer);
    else push(inserted, message, answer);
  }
  return { strays, appended, inserted };
}

function* editMessage(input: WriteEditsInput, index: number, cut: Cut | undefined, repairs: Repairs): Generator<Edit> {
  const message = input.view.messages[index]!;
  const strays = repairs.strays.get(index) ?? [];
  const answers = repairs.appended.get(index) ?? [];
  if (cut !== undefined || strays.length > 0 || answers.length > 0) {
    const reply = replyTo(input.view.messages, cut);
    const changed = changeMessage(message, { cut, reply, strays, answers }, input.view.counter);
    if (changed === undefined) yield { do: "drop", first: index, last: index };
    else if (changed !== message) yield { do: "parts", at: index, parts: changed.parts.map(referTo(message)) };
  }
  const missing = repairs.inserted.get(index) ?? [];
  if (missing.length === 0) return;
  if (input.traits.groupedResults) yield { do: "insert", before: index + 1, role: "tool", parts: missing };
  else for (const part of missing) yield { do: "insert", before: index + 1, role: "tool", parts: [part] };
}

function referTo(message: Message): (part: Part) => number | Part {
  return (part) => {
    const index = message.parts.indexOf(part);
    return index >= 0 ? index : part;
  };
}

/** Adds a drop, or makes the one before it longer. */
function pushDrop(edits: Mutable<Edit>[], first: number, last: number): void {
  const previous = edits[edits.length - 1];
  if (previous?.do === "drop" && previous.last === first - 1) previous.last = last;
  else edits.push({ do: "drop", first, last });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** What the user said to a message that is clipped. */
export function replyTo(messages: readonly Message[], cut: Cut | undefined): string | undefined {
  if (cut?.repliedBy === undefined) return undefined;
  return messages
    .slice(cut.message + 1, cut.repliedBy + 1)
    .map(textOf)
    .join("\n");
}

interface MessageChange {
  readonly cut?: Cut | undefined;
  readonly reply: string | undefined;
  /** Parts that answer no call. */
  readonly strays: readonly PartPlace[];
  /** Results to add for calls that never got one. */
  readonly answers: readonly ToolResultPart[];
}

/** A message as the plan wants it. Parts that stay are the same objects; undefined when nothing is left of it. */
function changeMessage(message: Message, change: MessageChange, counter: TokenCounter): Message | undefined {
  let parts: readonly Part[] = message.parts;
  if (change.strays.length > 0) {
    const gone = new Set(change.strays.map((stray) => stray.part));
    parts = parts.filter((_, index) => !gone.has(index));
    if (parts.length === 0 && change.answers.length === 0) return undefined;
  }
  const { cut } = change;
  if (cut?.withoutReasoning === true) parts = parts.filter((part) => part.type !== "reasoning");
  if (cut?.note !== undefined) parts = parts.map((part) => withNote(part, cut.note as string));
  if (change.answers.length > 0) parts = [...parts, ...change.answers];
  const changed = parts === message.parts ? message : { ...message, parts };
  return cut === undefined ? changed : clipMessage(changed, cut.toTokens, counter, { reply: change.reply });
}

function withNote(part: Part, note: string): Part {
  if (part.type !== "tool-result") return part;
  const { source: _, ...rest } = part;
  return { ...rest, content: [{ type: "text", text: note }] };
}
