import Handlebars from "handlebars";
import { MidfoldError } from "../errors/midfold-error.ts";

export interface RenderHandlebarsOptions {
  /** Templates that `{{> name }}` may include, by name. */
  readonly partials?: Readonly<Record<string, string>>;
}

const longestTemplate = 100_000;
/** What a template may come to, before it is rendered: nested loops of a few characters would otherwise run for years. */
const mostSteps = 50_000;
const mostCharacters = 64_000_000;
const mostPartials = 10;

/**
 * Renders a Handlebars template as plain text: nothing is escaped, and a template can reach only the values it is given,
 * never their prototypes. A template that does not compile, does not end or would come to too much is a VALIDATION_ERROR.
 */
export function renderHandlebars(
  template: string,
  values: Readonly<Record<string, unknown>>,
  options: RenderHandlebarsOptions = {},
): string {
  const partials = options.partials ?? {};
  try {
    assertBounded(template, values, partials);
    const engine = Handlebars.create();
    // It would write into the program's own output.
    engine.unregisterHelper("log");
    for (const [name, partial] of Object.entries(partials)) {
      engine.registerPartial(name, engine.compile(partial, { noEscape: true }));
    }
    return engine.compile(template, { noEscape: true })(values, {
      allowProtoMethodsByDefault: false,
      allowProtoPropertiesByDefault: false,
    });
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
    return sum(Handlebars.parse(text).body, depth);
  };
  const sum = (statements: readonly hbs.AST.Statement[], depth: number): Cost => {
    const total = { steps: 0, characters: 0 };
    for (const statement of statements) {
      const cost = one(statement, depth);
      total.steps += 1 + cost.steps;
      total.characters += cost.characters;
    }
    if (total.steps > mostSteps || total.characters > mostCharacters) throw new Error("it would come to too much text");
    return total;
  };
  const one = (statement: hbs.AST.Statement, depth: number): Cost => {
    switch (statement.type) {
      case "ContentStatement":
        return { steps: 0, characters: (statement as hbs.AST.ContentStatement).value.length };
      case "CommentStatement":
        return { steps: 0, characters: 0 };
      case "MustacheStatement":
        return { steps: 0, characters };
      case "BlockStatement": {
        const { program, inverse, path } = statement as hbs.AST.BlockStatement;
        const once = ["if", "unless", "with"].includes((path as hbs.AST.PathExpression).original as string);
        const body = sum(program?.body ?? [], depth);
        const other = sum(inverse?.body ?? [], depth);
        const times = once ? 1 : Math.max(1, entries);
        return {
          steps: body.steps * times + other.steps,
          characters: body.characters * times + other.characters,
        };
      }
      case "PartialStatement": {
        const name = String(((statement as hbs.AST.PartialStatement).name as hbs.AST.PathExpression).original);
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
