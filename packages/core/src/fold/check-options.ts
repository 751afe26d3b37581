import { MidfoldError } from "../errors/midfold-error.ts";
import { describeValue, isWireObject } from "../formats/wire-object.ts";
import type { FoldOptions } from "./fold-options.ts";

/** Says what is wrong with a value, or nothing. */
type Check = (value: unknown) => string | undefined;

/**
 * Checks the options of a fold before anything is done with them, so that a wrong value is an error with its name in it and
 * not a fold of the wrong size. Options that are undefined count as absent.
 */
export function checkOptions(options: FoldOptions): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw refuse(
      `The options of a fold must be an object, such as { model: "gpt-4o" }, not ${describeValue(options)}.`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) throw refuse(`There is no fold option "${name}".${suggest(name)}`);
    const wrong = checks[name as keyof FoldOptions](value);
    if (wrong !== undefined) throw refuse(`${name} ${wrong}.`);
  }
  if (options.signal?.aborted === true) {
    throw new MidfoldError("ABORTED", "The fold was cancelled before it began.", { cause: options.signal.reason });
  }
}

/** What would make a fold wait has no place in one that cannot: it would be left out without a word. */
export function refuseWaiting(options: FoldOptions): void {
  for (const name of ["summarizer", "cache"] as const) {
    if (options?.[name] !== undefined) {
      throw refuse(`foldSync cannot wait for a ${name}: call fold and await it, or leave ${name} out.`);
    }
  }
  if ((options as FoldOptions | null)?.onProgress !== undefined) {
    throw refuse("foldSync ends before anybody could be told: call fold, or leave onProgress out.");
  }
}

const refuse = (message: string) => new MidfoldError("VALIDATION_ERROR", message);
const shown = (value: unknown) => (typeof value === "number" ? String(value) : describeValue(value));

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const frameRoles: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);
const must =
  (holds: (value: unknown) => boolean, be: string): Check =>
  (value) =>
    holds(value) ? undefined : `must be ${be}, not ${shown(value)}`;

const text = must((value) => typeof value === "string", "a text");
const callable = must((value) => typeof value === "function", "a function");
const flag = must((value) => typeof value === "boolean", "true or false");
const record = must(isWireObject, "an object");
const share = must((value) => isNumber(value) && value > 0 && value <= 1, "a share above 0 and up to 1");
const tokens = must((value) => isNumber(value) && value >= 0, "a number of tokens, 0 or more");

const milliseconds = must((value) => isNumber(value) && value >= 0, "a number of milliseconds, 0 or more");

/** An object with these functions. */
const having =
  (...names: string[]): Check =>
  (value) => {
    if (!isWireObject(value)) return `must be an object with ${names.join(", ")}, not ${shown(value)}`;
    const missing = names.filter((name) => typeof value[name] !== "function");
    return missing.length === 0 ? undefined : `has no function ${missing.join(", ")}`;
  };

const wholeCounter = having("count", "countMessage", "countMessages", "countTools", "take", "takeLast");

/** An object that has nothing but these fields, since another would be ignored, each as its check wants it. */
const withFields =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isWireObject(value)) return record(value);
    for (const [name, given] of Object.entries(value)) {
      if (given === undefined) continue;
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (check === undefined) return `has no field "${name}", only ${Object.keys(fields).join(", ")}`;
      const wrong = check(given);
      if (wrong !== undefined) return `has a field ${name} that ${wrong}`;
    }
    return undefined;
  };

const oneOf = (...names: readonly string[]) => must((value) => names.includes(value as string), names.join(" or "));

/** One per option: the compiler asks for a check of every new one. */
const checks: Readonly<Record<keyof FoldOptions, Check>> = {
  model: text,
  format: text,
  // Whether they are positive, the budget's formula says.
  window: must(isNumber, "a number of tokens"),
  maxOutputTokens: tokens,
  budget: must((value) => isNumber(value) && value > 0, "a positive number of tokens"),
  target: share,
  preset: must((value) => typeof value === "string" || isWireObject(value), "a preset or the name of one"),
  rungs: (value) => {
    if (!Array.isArray(value)) return `must be a list of rungs, not ${shown(value)}`;
    const wrong = value.findIndex((rung) => !isWireObject(rung) || typeof rung.strategy !== "function");
    return wrong < 0 ? undefined : `must hold { name, rule, strategy } each; rung ${wrong} is ${shown(value[wrong])}`;
  },
  system: must((value) => typeof value === "string" || Array.isArray(value), "a text or a list of messages"),
  tools: must((value) => typeof value === "object" && value !== null, "a list or a record of tools"),
  toolChoice: record,
  clipNewResults: share,
  fixedTokens: tokens,
  counter: (value) => (typeof value === "function" ? undefined : wholeCounter(value)),
  pin: callable,
  elsewhere: callable,
  state: (value) =>
    isWireObject(value) && Array.isArray(value.edits) && typeof value.prefix === "string"
      ? undefined
      : "must be the state that an earlier fold returned",
  cache: having("find", "save"),
  cacheIsCold: flag,
  summarizer: (value) => (typeof value === "function" ? undefined : having("summarize")(value)),
  recall: tokens,
  secret: must((value) => typeof value === "string" && value.length >= 16, "a text of at least 16 characters"),
  summary: withFields({
    // Which there are, `summary-prompt.ts` says: templates are loaded only when a model writes.
    template: text,
    prompt: text,
    summaryTag: text,
    style: oneOf("detailed", "concise"),
    instructions: text,
    language: text,
    model: text,
    inputTokens: must((value) => isNumber(value) && value > 0, "a positive number of tokens"),
    partials: record,
  }),
  summaryPolicy: withFields({
    fallback: oneOf("digest", "throw"),
    attempts: must((value) => isIndex(value) && value > 0, "a whole number of at least 1"),
    firstPauseMs: milliseconds,
    longestPauseMs: milliseconds,
    ledgerShare: must((value) => isNumber(value) && value >= 0 && value <= 1, "a share from 0 to 1"),
    mustShrink: flag,
  }),
  clock: having("now", "sleep"),
  reportLoss: flag,
  retainTokens: tokens,
  foldLine: must(
    (value) => (typeof value === "string" && value !== "") || isIndex(value),
    "the id of a message or its index",
  ),
  previous: (value) => {
    if (!isWireObject(value)) return `must be { text, covers }, not ${shown(value)}`;
    if (typeof value.text !== "string" || value.text.trim() === "") return "needs a text that is not empty";
    if (!isIndex(value.covers) || value.covers === 0) return "needs covers, the number of messages it stands for";
    const { role } = value;
    return role === undefined || frameRoles.has(role) ? undefined : `has a role ${shown(role)} that no frame can have`;
  },
  onProgress: callable,
  force: flag,
  onInvalid: must((value) => value === "reject" || value === "skip", '"reject" or "skip"'),
  warn: callable,
  signal: must((value) => isWireObject(value) && typeof value.aborted === "boolean", "an AbortSignal"),
};

/** What people coming from other libraries write, and slips of the keyboard. */
const synonyms: Readonly<Record<string, keyof FoldOptions>> = {
  maxTokens: "budget",
  tokenBudget: "budget",
  limit: "budget",
  contextWindow: "window",
  strategy: "preset",
  tokenCounter: "counter",
  tokenizer: "counter",
  onWarning: "warn",
  keepTokens: "retainTokens",
  previousSummary: "previous",
  abortSignal: "signal",
};

function suggest(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  const close = Object.keys(checks).find((known) => {
    const other = known.toLowerCase();
    return other === letters || other.startsWith(letters) || letters.startsWith(other);
  });
  const meant = synonyms[name] ?? close;
  return meant === undefined ? ` Known: ${Object.keys(checks).join(", ")}.` : ` Did you mean ${meant}?`;
}
