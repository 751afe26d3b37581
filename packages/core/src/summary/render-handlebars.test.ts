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
const partials = { p: "[{{a}}{{name}}]", lines: "1 {{a}}\n2\n\n3\n", self: "<{{this}}>", none: "" };

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
        seen.texts++;
        expect(renderHandlebars(text, values, { partials })).toBe(wanted);
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
  ["{{^yes}}x{{/yes}}|{{^none}}not{{/none}}|{{^list}}x{{else}}{{this}}{{/list}}"],
  ["{{#no}}x{{else}}n{{/no}}{{#none}}x{{else}}n{{/none}}{{#zero}}z{{else}}n{{/zero}}{{#empty}}x{{else}}n{{/empty}}"],
  ["{{#a}}{{this}}{{../zero}}{{/a}}{{#yes}}{{a}}{{/yes}}{{#table}}{{one}}{{../a}}{{/table}}"],
  ["{{#each list as |one at|}}{{@index}}{{one}}{{at}}{{@../../../index}}|{{/each}}"],
  ["{{#each people as |person|}}{{#with person as |person|}}{{person.name}}{{./name}}{{this.name}}{{/with}}{{/each}}"],
  ["{{#each list}}{{> self}}{{/each}}{{#each people}}{{> self name}}{{/each}}{{> self 'x'}}"],
  ["{{#with table}}{{> p}}{{> p a='z' name=one}}{{> p ../people.[1] a='y'}}{{/with}}"],
  ["a\n  {{> none }}\nb\n\t{{> lines }}c"],
  [
    "{{#if zero includeZero=true}}z{{/if}}{{#unless zero includeZero=true}}x{{else}}z{{/unless}}{{#unless a}}x{{/unless}}",
  ],
  ["{{#with zero}}{{this}}{{else}}n{{/with}}{{#with empty}}x{{else}}n{{/with}}{{#with none}}x{{else}}n{{/with}}"],
])("%s", (text) => {
  expect(renderHandlebars(text, values, { partials })).toBe(byHandlebars(text));
});

test("a partial reaches what is around it, and `@index` is never a block parameter", () => {
  const around = { partials: { up: "<{{this}}{{../a}}>" } };
  expect(renderHandlebars("{{#each list}}{{> up}}{{/each}}{{> up 'x'}}", values, around)).toBe("<xA><yA><xA>");
  expect(renderHandlebars("{{#each list as |index|}}{{@index}}{{index}}{{/each}}", values)).toBe("0x1y");
});

test("a block parameter that a block does not fill is nothing", () => {
  expect(renderHandlebars("{{#if a as |x|}}<{{x}}>{{/if}}{{#table as |t|}}<{{t}}>{{/table}}", values)).toBe("<><>");
});

test("a block parameter hides the helper of its name, and a path with a dot is none", () => {
  expect(renderHandlebars("{{#each list as |if|}}{{if}}{{/each}}{{./if}}{{this.each}}", values)).toBe("xy");
});

test("a path may not be computed", () => {
  expect(() => renderHandlebars("{{(lookup table 'two').three}}", values)).toThrowError(/a path may not be computed/);
});

test("the error keeps its cause and says one line of it", () => {
  const failure = (() => {
    try {
      return renderHandlebars("{{#if a}}\n{{/each}}", values);
    } catch (error) {
      return error as Error;
    }
  })() as Error;
  expect(failure.cause).toBeInstanceOf(Error);
  expect(failure.message).not.toContain("\n");
});

test("functions among the values are neither called nor printed", () => {
  expect(renderHandlebars("<{{f}}>", { f: () => "called" })).toBe("<>");
});

test("a helper nobody has is refused by its name", () => {
  expect(() => renderHandlebars("{{shout a}}", values)).toThrowError(/there is no helper shout/);
});
