import { MidfoldError } from "@midfold/core";
import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";
import type { z } from "zod";

/** One thing wrong with the configuration: where, what, and what to do. */
export interface ConfigProblem {
  readonly line?: number | undefined;
  readonly message: string;
}

/** The text a value came from, for line numbers. */
export interface ConfigText {
  readonly document: Document;
  readonly lines: LineCounter;
}

type Path = readonly (string | number)[];

export function configError(file: string, problems: readonly ConfigProblem[]): MidfoldError {
  const lines = problems.map(({ line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`);
  return new MidfoldError("INVALID_CONFIG", lines.join("\n"), { details: { file, problems: lines } });
}

/** Says in words what the schema refused, with the line it concerns. */
export function explainIssue(issue: z.core.$ZodIssue, text: ConfigText, schema: z.ZodType): ConfigProblem[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") {
    const fields = fieldsAt(schema, path);
    return issue.keys.map((key) => ({
      line: lineOf([...path, key], text),
      message: `${nameOf([...path, key])} is not a setting.${suggest(key, fields)}`,
    }));
  }
  if (issue.code === "invalid_union") {
    // Of the alternatives, the one that matched the type of the value: its error is about a detail.
    const near = issue.errors.find((branch) =>
      branch.some((each) => each.code !== "invalid_type" || each.path.length > 0),
    );
    if (near !== undefined) {
      return near.flatMap((each) => explainIssue({ ...each, path: [...path, ...each.path] }, text, schema));
    }
  }
  return [{ line: lineOf(path, text), message: `${nameOf(path)} ${wordsFor(issue)}` }];
}

export function lineOf(path: Path, { document, lines }: ConfigText): number | undefined {
  for (let depth = path.length; depth >= 0; depth--) {
    const parent = depth === 0 ? undefined : document.getIn(path.slice(0, depth - 1), true);
    const key = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === path[depth - 1])?.key
      : undefined;
    const node = key ?? document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range !== null && node.range !== undefined) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

function wordsFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}.`;
    case "invalid_type":
      return issue.message.includes("received undefined") ? "is missing." : `must be ${kindOf(issue.expected)}.`;
    case "too_small":
      return `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}.`;
    case "too_big":
      return `must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}.`;
    case "invalid_union":
      if (issue.errors.flat().every((each) => each.message.includes("received undefined"))) return "is missing.";
      return "is not of a kind that is understood here.";
    default:
      return issue.message.endsWith(".") ? issue.message : `${issue.message}.`;
  }
}

function kindOf(expected: string): string {
  const kinds: Readonly<Record<string, string>> = {
    int: "a whole number",
    boolean: "true or false",
    string: "a text",
    array: "a list",
    object: "a block of settings",
    record: "a block of settings",
  };
  return kinds[expected] ?? `a ${expected}`;
}

function suggest(key: string, fields: readonly string[]): string {
  const near = fields.find((field) => similar(field.toLowerCase(), key.toLowerCase()));
  if (near !== undefined) return ` Did you mean ${near}?`;
  return fields.length === 0 ? " Remove it." : ` Known here: ${fields.join(", ")}.`;
}

/** Whether they differ in at most two letters: a typo, a dash or another capital. */
function similar(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll(/[-_]/g, "");
  if (plain(a) === plain(b)) return true;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return (row[b.length] as number) <= 2;
}

/** The names of the settings that exist at a place of the schema. */
function fieldsAt(schema: z.ZodType, path: Path): string[] {
  let at: unknown = schema;
  for (const step of path) at = stepInto(unwrap(at), step);
  const shape = (unwrap(at) as { shape?: object } | undefined)?.shape;
  return shape === undefined ? [] : Object.keys(shape);
}

function stepInto(schema: unknown, step: string | number): unknown {
  const { shape, element, valueType } = (schema ?? {}) as Record<string, unknown>;
  if (typeof step === "number") return element;
  return (shape as Record<string, unknown> | undefined)?.[step] ?? valueType;
}

function unwrap(schema: unknown): unknown {
  let at = schema as { def?: { innerType?: unknown; options?: readonly unknown[] } } | undefined;
  for (let depth = 0; depth < 5 && at?.def !== undefined; depth++) {
    const { innerType, options } = at.def;
    const next = innerType ?? options?.find((option) => "shape" in (option as object));
    if (next === undefined) break;
    at = next as typeof at;
  }
  return at;
}

function nameOf(path: Path): string {
  if (path.length === 0) return "The configuration";
  return path.map((step, at) => (typeof step === "number" ? `[${step + 1}]` : at === 0 ? step : `.${step}`)).join("");
}
