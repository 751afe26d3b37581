import fc from "fast-check";
import Handlebars from "handlebars";
import { expect, test } from "vitest";
import { renderHandlebars } from "./render-handlebars.ts";

const values = {
  a: "A",
  zero: 0,
  no: false,
  yes: true,
  empty: [],
  list: ["x", "y"],
  people: [{ name: "Ada", tags: ["m", "n"] }, { name: "Max" }],
  table: { one: 1, two: { three: 3 } },
  "first name": "F",
};
const partials = { p: "[{{a}}{{name}}]", lines: "1 {{a}}\n2\n\n3\n" };

/** No null among them, for which Handlebars prints "[object Object]" in a loop. With escapes, which change none of these values: without them Handlebars adds numbers up, `{{zero}}{{zero}}` to "0". */
function byHandlebars(template: string): string {
  const engine = Handlebars.create();
  for (const [name, partial] of Object.entries(partials)) engine.registerPartial(name, engine.compile(partial));
  return engine.compile(template)(values);
}

const paths = [
  "a",
  "zero",
  "no",
  "none",
  "empty",
  "list",
  "people",
  "table",
  "table.two.three",
  "table/one",
  "this",
  "this.a",
  ".",
  "./a",
  "../a",
  "../../a",
  "name",
  "missing.deep",
  "list.[1]",
  "list.length",
  "people.0.name",
  "@root.a",
  "@index",
  "@key",
  "@first",
  "@last",
  "@../index",
  "[first name]",
  '"first name"',
  "item",
  "at",
  "lookup table 'one'",
  "lookup list 0",
];
const path = fc.constantFrom(...paths);
const argument = fc.oneof(
  path.filter((text) => !text.startsWith("lookup")),
  fc.constantFrom("(lookup people 0)", "(lookup . 'list')", "0", "'text'", "true", "null", "undefined"),
);
const template = fc.letrec<{ node: string; block: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    path.map((text) => `{{${text}}}`),
    fc.constantFrom(
      " text ",
      "\n",
      "  {{> p }}\n",
      "  {{> lines }}\n",
      "{{> p people.[0] }}",
      "{{> p table a='z' }}",
      "{{! note }}",
      "{{~a~}}",
    ),
    tie("block"),
  ),
  block: fc
    .tuple(
      fc.constantFrom("if", "unless", "each", "with", "", "if-zero", "each-as", "with-as"),
      argument,
      fc.array(tie("node"), { maxLength: 3 }),
      fc.array(tie("node"), { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([kind, value, body, other, hasElse]) => {
      const [helper = "", variant] = kind.split("-");
      const name = helper === "" ? (/^[('\d"@.]|^(?:true|null|undefined)$/.test(value) ? "list" : value) : helper;
      const tail = { zero: " includeZero=true", as: " as |item at|" }[variant ?? ""] ?? "";
      const open = helper === "" ? `{{#${name}}}` : `{{#${helper} ${value}${tail}}}`;
      return `${open}${body.join("")}${hasElse ? `{{else}}${other.join("")}` : ""}{{/${name}}}`;
    }),
}));

function rendered(text: string): string | undefined {
  try {
    return renderHandlebars(text, values, { partials });
  } catch (error) {
    if (String(error).includes("too much text")) return undefined;
    throw error;
  }
}

test("what it renders is what Handlebars renders", () => {
  const seen = { texts: 0, errors: 0 };
  fc.assert(
    fc.property(fc.array(template.node, { minLength: 1, maxLength: 4 }), (nodes) => {
      const text = nodes.join("");
      let wanted: string | undefined;
      try {
        wanted = byHandlebars(text);
      } catch {
        seen.errors++;
      }
      if (wanted === undefined)
        expect(() => renderHandlebars(text, values, { partials })).toThrowError(/does not render/);
      else {
        // Deeply nested blocks are refused before they run: the bound takes the worst case, not what really comes out.
        const made = rendered(text);
        if (made === undefined) return;
        seen.texts++;
        expect(made).toBe(wanted);
      }
    }),
    { numRuns: 500 },
  );
  expect(seen.texts).toBeGreaterThan(100);
});

test.each([
  ["{{#each people as |person at|}}{{at}}:{{person.name}}{{#each person.tags}}{{../name}}{{this}}{{/each}} {{/each}}"],
  ["{{#if zero}}z{{else if a}}{{a}}{{else}}no{{/if}}"],
  ["{{#each table}}{{@key}}={{this}}{{#unless @last}}, {{/unless}}{{/each}}"],
  ["{{#each empty}}x{{else}}none{{/each}}"],
  ["{{#people}}{{name}}{{/people}}{{^no}}not{{/no}}"],
  ["a\n  {{> lines }}\nb"],
  ["{{{a}}}{{{table.two}}}"],
])("%s", (text) => {
  expect(renderHandlebars(text, values, { partials })).toBe(byHandlebars(text));
});

test("functions among the values are neither called nor printed", () => {
  expect(renderHandlebars("<{{f}}>", { f: () => "called" })).toBe("<>");
});

test("a helper nobody has is refused by its name", () => {
  expect(() => renderHandlebars("{{shout a}}", values)).toThrowError(/there is no helper shout/);
});
