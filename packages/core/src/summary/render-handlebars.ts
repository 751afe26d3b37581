import { parse as parseHandlebars } from "@handlebars/parser";
import { MidfoldError } from "../errors/midfold-error.ts";

export interface RenderHandlebarsOptions {
  /** Templates that `{{> name }}` may include, by name. */
  readonly partials?: Readonly<Record<string, string>>;
}

/** The parser's tree, as far as it is read here. Its own declarations cannot be resolved by a package of ES modules. */
interface Node {
  readonly type: string;
}
interface Program {
  readonly body: readonly Node[];
  readonly blockParams?: readonly string[];
}
interface Content extends Node {
  readonly value: string;
}
interface Literal extends Node {
  readonly value: unknown;
  readonly original: unknown;
}
interface Path extends Node {
  readonly data: boolean;
  readonly depth: number;
  readonly parts: readonly (string | Node)[];
  readonly original: string;
}
/** A mustache, a subexpression, a partial, or with `program` a block. */
interface Call extends Node {
  readonly path: Node;
  readonly params: readonly Node[];
  readonly hash?: { readonly pairs: readonly { readonly key: string; readonly value: Node }[] };
}
interface Block extends Call {
  readonly program?: Program;
  readonly inverse?: Program;
}
interface Partial extends Call {
  readonly name: Node;
  readonly indent: string;
}

const parse = (text: string): Program => parseHandlebars(text) as unknown as Program;

const longestTemplate = 100_000;
/** What a template may come to, before it is rendered: nested loops of a few characters would otherwise run for years. */
const mostSteps = 50_000;
const mostCharacters = 64_000_000;
const mostPartials = 10;

/**
 * Renders a Handlebars template as plain text: nothing is escaped, and a template can reach only the values it is given,
 * never their prototypes. `if`, `unless`, `each`, `with`, `lookup` and partials are there; functions among the values are
 * not called. A template that does not parse, does not end or would come to too much is a VALIDATION_ERROR.
 *
 * The template is walked, not compiled: Handlebars itself compiles with `new Function`, which workers and pages with a
 * content security policy refuse.
 *
 * @example
 * renderHandlebars("{{#each names}}{{@index}} {{this}} {{/each}}", { names: ["Ada", "Max"] }); // "0 Ada 1 Max "
 */
export function renderHandlebars(
  template: string,
  values: Readonly<Record<string, unknown>>,
  options: RenderHandlebarsOptions = {},
): string {
  const partials = options.partials ?? {};
  try {
    assertBounded(template, values, partials);
    const scope = { contexts: [values], data: { root: values }, names: [] };
    return renderAll(parse(template).body, scope, (name) => partials[name] ?? "");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new MidfoldError("VALIDATION_ERROR", `The prompt template does not render: ${reason}`, { cause });
  }
}

interface Cost {
  readonly steps: number;
  readonly characters: number;
}

/** The most a template can come to with these values: every loop over the largest of them, every value as long as all. */
function assertBounded(
  template: string,
  values: Readonly<Record<string, unknown>>,
  partials: Readonly<Record<string, string>>,
): void {
  const { entries, characters } = sizeOf(values, 0);
  const known = new Map<string, Cost>();
  const costOf = (text: string, depth: number): Cost => {
    if (text.length > longestTemplate) throw new Error(`it is longer than ${longestTemplate} characters`);
    if (depth > mostPartials) throw new Error("its partials include one another without end");
    return sum(parse(text).body, depth);
  };
  const sum = (statements: readonly Node[], depth: number): Cost => {
    const total = { steps: 0, characters: 0 };
    for (const statement of statements) {
      const cost = one(statement, depth);
      total.steps += 1 + cost.steps;
      total.characters += cost.characters;
    }
    if (total.steps > mostSteps || total.characters > mostCharacters) throw new Error("it would come to too much text");
    return total;
  };
  const one = (statement: Node, depth: number): Cost => {
    switch (statement.type) {
      case "ContentStatement":
        return { steps: 0, characters: (statement as Content).value.length };
      case "CommentStatement":
        return { steps: 0, characters: 0 };
      case "MustacheStatement":
        return { steps: 0, characters };
      case "BlockStatement": {
        const { program, inverse, path } = statement as Block;
        const once = ["if", "unless", "with"].includes((path as Path).original);
        const body = sum(program?.body ?? [], depth);
        const other = sum(inverse?.body ?? [], depth);
        const times = once ? 1 : Math.max(1, entries);
        return {
          steps: body.steps * times + other.steps,
          characters: body.characters * times + other.characters,
        };
      }
      case "PartialStatement": {
        const name = String(((statement as Partial).name as Path).original);
        const partial = Object.hasOwn(partials, name) ? partials[name] : undefined;
        if (partial === undefined) throw new Error(`there is no partial ${name}`);
        const met = known.get(name) ?? costOf(partial, depth + 1);
        known.set(name, met);
        return met;
      }
      default:
        throw new Error(`${statement.type} is not allowed in a prompt`);
    }
  };
  costOf(template, 0);
}

/** The largest number of things a loop can go through, and the length of all text, in these values. */
function sizeOf(value: unknown, depth: number): { readonly entries: number; readonly characters: number } {
  if (typeof value !== "object" || value === null) return { entries: 0, characters: String(value ?? "").length };
  const own = Object.values(value);
  let entries = own.length;
  let characters = 0;
  if (depth < 20) {
    for (const inner of own) {
      const size = sizeOf(inner, depth + 1);
      entries = Math.max(entries, size.entries);
      characters += size.characters;
    }
  }
  return { entries, characters };
}

/** What a place in the template can see. */
interface Scope {
  /** The value that `this` is, and behind it those that `../` reaches. */
  readonly contexts: readonly unknown[];
  /** `@index` and the like; `parent` is what `@../` reaches. */
  readonly data: Data;
  /** Block parameters (`as |item|`), innermost last. */
  readonly names: readonly (readonly [name: string, value: unknown])[];
}

interface Data {
  readonly root: unknown;
  readonly parent?: Data;
  readonly [name: string]: unknown;
}

type Partials = (name: string) => string;

const helpers = new Set(["if", "unless", "each", "with", "lookup"]);

function renderAll(statements: readonly Node[], scope: Scope, partials: Partials): string {
  let text = "";
  for (const statement of statements) text += renderOne(statement, scope, partials);
  return text;
}

function renderOne(statement: Node, scope: Scope, partials: Partials): string {
  switch (statement.type) {
    case "ContentStatement":
      return (statement as Content).value;
    case "MustacheStatement":
      return asText(valueOfCall(statement as Call, scope));
    case "BlockStatement":
      return renderBlock(statement as Block, scope, partials);
    case "PartialStatement":
      return renderPartial(statement as Partial, scope, partials);
    default:
      return "";
  }
}

const asText = (value: unknown): string =>
  value === undefined || value === null || typeof value === "function" ? "" : String(value);

function renderBlock(block: Block, scope: Scope, partials: Partials): string {
  const { path, params, program, inverse } = block;
  const otherwise = () => renderAll(inverse?.body ?? [], scope, partials);
  const inside = (context: unknown, data: Data, values: readonly unknown[]) => {
    const named = (program?.blockParams ?? []).map((name, index) => [name, values[index]] as const);
    const contexts = context === scope.contexts[0] ? scope.contexts : [context, ...scope.contexts];
    return renderAll(program?.body ?? [], { contexts, data, names: [...scope.names, ...named] }, partials);
  };
  const each = (list: unknown) => {
    const entries = typeof list === "object" && list !== null ? Object.entries(list) : [];
    if (entries.length === 0) return otherwise();
    return entries
      .map(([field, value], index) => {
        const key = Array.isArray(list) ? Number(field) : field;
        const last = index === entries.length - 1;
        const data = { root: scope.data.root, parent: scope.data, key, index, first: index === 0, last };
        return inside(value, data, [value, key]);
      })
      .join("");
  };

  const helper = helperOf(block, scope);
  if (helper === undefined) {
    const value = valueOfPath(path, scope);
    if (Array.isArray(value)) return each(value);
    if (value === false || value === undefined || value === null) return otherwise();
    return inside(value === true ? scope.contexts[0] : value, scope.data, []);
  }
  if (params.length !== 1) throw new Error(`#${helper} needs exactly one argument`);
  const value = valueAt(params[0] as Node, scope);
  switch (helper) {
    case "each":
      return each(value);
    case "with":
      return isEmpty(value) ? otherwise() : inside(value, scope.data, [value]);
    case "if":
    case "unless": {
      const zeroCounts = block.hash?.pairs.some((pair) => pair.key === "includeZero" && valueAt(pair.value, scope));
      const holds = !isEmpty(value) && (Boolean(value) || zeroCounts === true);
      return holds === (helper === "if") ? inside(scope.contexts[0], scope.data, []) : otherwise();
    }
    default:
      throw new Error(`${helper} cannot open a block`);
  }
}

/** Handlebars counts 0 as something and an empty list as nothing. */
const isEmpty = (value: unknown): boolean => (!value && value !== 0) || (Array.isArray(value) && value.length === 0);

function renderPartial(statement: Partial, scope: Scope, partials: Partials): string {
  const { name, params, hash, indent } = statement;
  const [first] = params;
  const given = first === undefined ? scope.contexts[0] : valueAt(first, scope);
  const pairs = hash?.pairs ?? [];
  const context =
    pairs.length === 0
      ? given
      : { ...(given as object), ...Object.fromEntries(pairs.map(({ key, value }) => [key, valueAt(value, scope)])) };
  const contexts = context === scope.contexts[0] ? scope.contexts : [context, ...scope.contexts];
  const text = renderAll(
    parse(partials(String((name as Path).original))).body,
    { contexts, data: scope.data, names: [] },
    partials,
  );
  return indent ? text.replaceAll(/^(?!$(?![\s\S]))/gm, indent) : text;
}

/** `{{name}}`, `{{lookup list 0}}`, `(lookup list 0)`. */
function valueOfCall(call: Call, scope: Scope): unknown {
  const helper = helperOf(call, scope);
  if (helper === undefined) return valueOfPath(call.path, scope);
  if (helper !== "lookup") throw new Error(`#${helper} opens a block and gives no value`);
  const [from, field] = call.params.map((param) => valueAt(param, scope));
  return from ? propertyOf(from, field) : from;
}

/** The helper that a call names, if it is a call and not the name of a value. */
function helperOf(call: Call, scope: Scope): string | undefined {
  const { type, params, hash } = call;
  const path = call.path as Path;
  const name = String(path.original);
  const isCall = type === "SubExpression" || params.length > 0 || (hash?.pairs.length ?? 0) > 0;
  const isSimple = path.type !== "PathExpression" || (path.parts.length === 1 && path.depth === 0 && !path.data);
  if (isSimple && helpers.has(name) && !scope.names.some(([known]) => known === name)) return name;
  if (isCall) throw new Error(`there is no helper ${name}`);
  return undefined;
}

function valueAt(expression: Node, scope: Scope): unknown {
  switch (expression.type) {
    case "PathExpression":
      return valueOfPath(expression as Path, scope);
    case "SubExpression":
      return valueOfCall(expression as Call, scope);
    case "NullLiteral":
      return null;
    case "UndefinedLiteral":
      return undefined;
    default:
      return (expression as Literal).value;
  }
}

function valueOfPath(expression: Node, scope: Scope): unknown {
  // A literal where a name belongs is a name: `{{"first name"}}`.
  if (expression.type !== "PathExpression") {
    return propertyOf(scope.contexts[0], String((expression as Literal).original));
  }
  const { data, depth, parts, original } = expression as Path;
  const named = /^(?:\.|this\b)/.test(original)
    ? undefined
    : scope.names.findLast(([name]) => depth === 0 && !data && name === parts[0]);
  let value: unknown = named?.[1];
  if (named === undefined) {
    if (data) {
      value = scope.data;
      for (let up = depth; up > 0; up--) value = (value as Data | undefined)?.parent;
    } else value = scope.contexts[depth];
  }
  for (const part of named === undefined ? parts : parts.slice(1)) {
    if (typeof part !== "string") throw new Error("a path may not be computed");
    value = propertyOf(value, part);
  }
  return value;
}

/** Own properties only: a template must not reach `constructor` or other things of a prototype. */
function propertyOf(value: unknown, name: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const holder = Object(value) as Record<string, unknown>;
  return Object.hasOwn(holder, String(name)) ? holder[String(name)] : undefined;
}
