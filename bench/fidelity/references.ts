import { type ChatMessage, countMessages, flatText, unitsOf } from "./conversation.ts";
import type { Recorded } from "./data.ts";

/** Where a recorded run is folded, and what its continuation will need from before that point. */
export interface FoldPoint {
  readonly id: string;
  readonly prefix: readonly ChatMessage[];
  readonly tokens: number;
  readonly lastUser: ChatMessage | undefined;
  readonly references: readonly Need[];
  readonly leaves: readonly Need[];
}

export interface Need {
  readonly value: string;
  /** The value with up to 20 characters of what stood left or right of it, once per place where it stood. */
  readonly contexts: readonly string[];
}

export interface Found {
  readonly needs: number;
  readonly present: number;
  readonly inContext: number;
}

const horizon = 30;
const contextChars = 20;
const mostPlaces = 300;
const smallestPrefix = 400;
const shares = [0.4, 0.6, 0.8];

/** Exact things: addresses and paths, identifiers with digits or joints, codes in capitals, numbers of three digits and more. */
export const referencePattern =
  /[\w.+-]+@[\w-]+\.[\w.]+|https?:\/\/[^\s"'`<>)\]}]+|(?:[~.]?\/)?[\w@.-]+(?:\/[\w@.+-]+)+|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|[#$€]?\d+(?:[.,:-]\d+)+|[#$€]?\d{3,}|\b[A-Z]{3,}\d*\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{4,}\b|\b\w+(?:[_-]\w+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[\w-]+\.(?:[a-z]{1,4})\b/g;

const trimmed = (value: string) => value.replace(/^[.,:;_-]+|[.,:;_-]+$/g, "");

/** Fold points at 40, 60 and 80 % of a run's units. */
export function foldPoints(conversation: Recorded): FoldPoint[] {
  const units = unitsOf(conversation.messages);
  const points: FoldPoint[] = [];
  for (const share of shares) {
    const at = Math.floor(units.length * share);
    const prefix = units.slice(0, at).flat();
    const next = units.slice(at).flat().slice(0, horizon);
    const tokens = countMessages(prefix);
    if (prefix.length < 4 || tokens < smallestPrefix) continue;
    const references = needsOf(prefix, next, conversation.system, referencesIn);
    const leaves = needsOf(prefix, next, conversation.system, leavesIn);
    if (references.length + leaves.length === 0) continue;
    const lastUser = prefix.findLast(({ role }) => role === "user");
    points.push({ id: `${conversation.id}@${share}`, prefix, tokens, lastUser, references, leaves });
  }
  return points;
}

/** What `next` uses of what `prefix` told, by the pattern for exact things. */
export function needsAt(prefix: readonly ChatMessage[], next: readonly ChatMessage[], system: string): Need[] {
  return needsOf(prefix, next, system, referencesIn);
}

/** How many of the needs are in the text: at all, and with their context. */
export function findNeeds(needs: readonly Need[], text: string): Found {
  let present = 0;
  let inContext = 0;
  for (const { value, contexts } of needs) {
    if (!holds(text, value)) continue;
    present++;
    if (contexts.some((context) => text.includes(context))) inContext++;
  }
  return { needs: needs.length, present, inContext };
}

/**
 * Values the next messages use that the prefix told and nothing since. Runs without any tool call (agents that talk in
 * text) are asked for what their next assistant messages say.
 */
function needsOf(
  prefix: readonly ChatMessage[],
  next: readonly ChatMessage[],
  system: string,
  valuesIn: (text: string) => string[],
): Need[] {
  const texts = prefix.map(flatText);
  const whole = texts.join("\n");
  const withTools = [...prefix, ...next].some(({ tool_calls }) => tool_calls !== undefined);
  const needs = new Map<string, Need>();
  let between = "";
  for (const message of next) {
    const used = withTools
      ? (message.tool_calls ?? []).map((call) => argumentText(call.function.arguments, valuesIn === leavesIn))
      : message.role === "assistant"
        ? [flatText(message)]
        : [];
    for (const value of used.flatMap(valuesIn)) {
      if (needs.has(value) || holds(system, value) || holds(between, value) || !holds(whole, value)) continue;
      needs.set(value, { value, contexts: texts.flatMap((text) => contextsOf(text, value)).slice(0, mostPlaces) });
    }
    between += `\n${flatText(message)}`;
  }
  return [...needs.values()];
}

/** Where a numbered listing begins. */
const listing = /^\s*\d+(?:\t|→)[^\n]*\n\s*\d+(?:\t|→|$)/m;

/**
 * Arguments as they are for leaves; for references their values only, since the names of arguments stand in the tool's
 * definition. Some recordings have a numbered listing among the arguments: that is what the call showed (a transcript of
 * other calls, say), and nobody passed it to a tool.
 */
function argumentText(json: string, whole: boolean): string {
  if (whole) return json;
  return leafTexts(json)?.join("\n") ?? json.split(listing, 1)[0]!;
}

function leafTexts(json: string): string[] | undefined {
  try {
    const values: string[] = [];
    const visit = (value: unknown): void => {
      if (typeof value === "string" || typeof value === "number") values.push(String(value).replace(/\s+/g, " "));
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
    };
    visit(JSON.parse(json));
    return values;
  } catch {
    return undefined;
  }
}

function referencesIn(text: string): string[] {
  const exact = [...text.matchAll(referencePattern)].map(([value]) => trimmed(value));
  return [...exact, ...chineseIn(text)].filter((value) => value.length >= 3);
}

/** Chinese names stand between punctuation and grammar words. What is in another script is no name for being beside them. */
function chineseIn(text: string): string[] {
  const names = text.split(/[^\p{Script=Han}\w]+|[的是在有吗呢了和与请您我你他她它这那哪个些]/u);
  return names.filter((name) => /\p{Script=Han}/u.test(name));
}

/** Every string and number in a call's JSON arguments, whatever it looks like. */
function leavesIn(text: string): string[] {
  const values: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") {
      const leaf = String(value).replace(/\s+/g, " ").trim();
      if (leaf.length >= 4 && leaf.length <= 120) values.push(leaf);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  try {
    visit(JSON.parse(text));
  } catch {
    // Arguments that are not JSON have no leaves.
  }
  return values;
}

function contextsOf(text: string, value: string): string[] {
  const contexts: string[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    const end = at + value.length;
    if (!standsAlone(text, at, end)) continue;
    // At the start or end of a message there is less context to keep; what there is must be there.
    if (at > 0 || end === text.length) contexts.push(text.slice(Math.max(0, at - contextChars), end));
    if (end < text.length) contexts.push(text.slice(at, Math.min(text.length, end + contextChars)));
  }
  return contexts;
}

function holds(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    if (standsAlone(text, at, at + value.length)) return true;
  }
  return false;
}

const alphanumeric = /[A-Za-z0-9]/;

/** "123" is not in "91234". */
function standsAlone(text: string, from: number, to: number): boolean {
  const cut = (inner: string | undefined, outer: string | undefined) =>
    inner !== undefined && outer !== undefined && alphanumeric.test(inner) && alphanumeric.test(outer);
  return !cut(text[from], text[from - 1]) && !cut(text[to - 1], text[to]);
}
