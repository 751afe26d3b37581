import * as fc from "fast-check";
import { expect, it } from "vitest";
import { dropField } from "./drop-field.ts";

const drop = (text: string, name = "b") => Buffer.from(dropField(Buffer.from(text), name)).toString();

it.each([
  ['{"a":1,"b":{"c":[2,","]},"d":3}', '{"a":1,"d":3}'],
  ['{ "b" : 1 , "d" : 12345678901234567890 }', '{  "d" : 12345678901234567890 }'],
  ['{"a": 1,\n "b": 2\n}', '{"a": 1\n}'],
  ['{"b":1}', "{}"],
  ['{"a":1}', '{"a":1}'],
])("%s becomes %s", (before, after) => expect(drop(before)).toBe(after));

it("leaves what JSON.parse would read without the field, however it is written", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, noNullPrototype: true }),
      fc.nat(),
      fc.constantFrom(undefined, 1, "\t"),
      (value, pick, space) => {
        const names = Object.keys(value);
        const name = names[pick % names.length] as string;
        const { [name]: _, ...rest } = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(drop(JSON.stringify(value, undefined, space), name))).toEqual(rest);
      },
    ),
  );
});
