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

const longestTemplate = 100_000;

function parse(text: string): Program {
  if (text.length > longestTemplate) throw new Error(`it is longer than ${longestTemplate} characters`);
  return parseHandlebars(text) as unknown as Program;
}

/** What rendering a template may take: nested loops of a few characters would otherwise run for years. */
const mostSteps = 100_000;
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
  try {
    const work = { partials: options.partials ?? {}, steps: 0, characters: 0 };
    return renderAll(parse(template).body, { contexts: [values], data: { root: values }, names: [], depth: 0 }, work);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new MidfoldError("VALIDATION_ERROR", `The prompt template does not render: ${reason}`, { cause });
  }
}

/** What a place in the template can see. */
interface Scope {
  /** The value that `this` is, and behind it those that `../` reaches. */
  readonly contexts: readonly unknown[];
  /** `@index` and the like; `parent` is what `@../` reaches. */
  readonly data: Data;
  /** Block parameters (`as |item|`), innermost last. */
  readonly names: readonly (readonly [name: string, value: unknown])[];
  /** How many partials it is in. */
  readonly depth: number;
}

interface Data {
  readonly root: unknown;
  readonly parent?: Data;
  readonly [name: string]: unknown;
}

/** The partials, and what rendering has taken so far. */
interface Work {
  readonly partials: Readonly<Record<string, string>>;
  steps: number;
  characters: number;
}

function spend(work: Work, characters: number): void {
  work.steps += 1;
  work.characters += characters;
  if (work.steps > mostSteps || work.characters > mostCharacters) throw new Error("it would come to too much text");
}

const helpers = new Set(["if", "unless", "each", "with", "lookup"]);

function renderAll(statements: readonly Node[], scope: Scope, work: Work): string {
  let text = "";
  for (const statement of statements) {
    const piece = renderOne(statement, scope, work);
    spend(work, piece.length);
    text += piece;
  }
  return text;
}

function renderOne(statement: Node, scope: Scope, work: Work): string {
  switch (statement.type) {
    case "ContentStatement":
      return (statement as Content).value;
    case "MustacheStatement":
      return asText(valueOfCall(statement as Call, scope));
    case "BlockStatement":
      return renderBlock(statement as Block, scope, work);
    case "PartialStatement":
      return renderPartial(statement as Partial, scope, work);
    case "CommentStatement":
      return "";
    default:
      throw new Error(`${statement.type} is not allowed in a prompt`);
  }
}

const asText = (value: unknown): string =>
  value === undefined || value === null || typeof value === "function" ? "" : String(value);

function renderBlock(block: Block, scope: Scope, work: Work): string {
  const { path, params, program, inverse } = block;
  const otherwise = () => renderAll(inverse?.body ?? [], scope, work);
  const inside = (context: unknown, data: Data, values: readonly unknown[]) => {
    const named = (program?.blockParams ?? []).map((name, index) => [name, values[index]] as const);
    const contexts = context === scope.contexts[0] ? scope.contexts : [context, ...scope.contexts];
    return renderAll(program?.body ?? [], { ...scope, contexts, data, names: [...scope.names, ...named] }, work);
  };
  const each = (list: unknown) => {
    const entries = typeof list === "object" && list !== null ? Object.entries(list) : [];
    if (entries.length === 0) return otherwise();
    return entries
      .map(([field, value], index) => {
        spend(work, 0);
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

function renderPartial(statement: Partial, scope: Scope, work: Work): string {
  const { params, hash, indent } = statement;
  const name = String((statement.name as Path).original);
  if (!Object.hasOwn(work.partials, name)) throw new Error(`there is no partial ${name}`);
  const depth = scope.depth + 1;
  if (depth > mostPartials) throw new Error("its partials include one another without end");
  const [first] = params;
  const given = first === undefined ? scope.contexts[0] : valueAt(first, scope);
  const pairs = hash?.pairs ?? [];
  const context =
    pairs.length === 0
      ? given
      : { ...(given as object), ...Object.fromEntries(pairs.map(({ key, value }) => [key, valueAt(value, scope)])) };
  const contexts = context === scope.contexts[0] ? scope.contexts : [context, ...scope.contexts];
  const { body } = parse(work.partials[name]!);
  const text = renderAll(body, { contexts, data: scope.data, names: [], depth }, work);
  // Before every line, but not after the last line break.
  return text.replaceAll(/^(?=[\s\S])/gm, indent);
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
  const name = String((call.path as Path).original);
  const isCall = type === "SubExpression" || params.length > 0 || (hash?.pairs.length ?? 0) > 0;
  if (helpers.has(name) && !scope.names.some(([known]) => known === name)) return name;
  if (isCall) throw new Error(`there is no helper ${name}`);
  return undefined;
}

function valueAt(expression: Node, scope: Scope): unknown {
  switch (expression.type) {
    case "PathExpression":
      return valueOfPath(expression as Path, scope);
    case "SubExpression":
      return valueOfCall(expression as Call, scope);
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
    : scope.names.findLast(([name]) => !data && name === parts[0]);
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
  const holder = Object(value) as Record<string, unknown>;
  return Object.hasOwn(holder, String(name)) ? holder[String(name)] : undefined;
}
