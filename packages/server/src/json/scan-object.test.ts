import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonBody } from "./read-json-body.ts";
import { type ScannedObject, scanObject } from "./scan-object.ts";
import { spliceObject } from "./splice-object.ts";
import { createValueMemo } from "./value-memo.ts";

const bytesOf = (text: string) => Buffer.from(text);
const memo = createValueMemo(1_000_000);
const options = { maxDepth: 64, elementsOf: "messages", memo };
const slice = (bytes: Uint8Array, range: { start: number; end: number }) =>
  Buffer.from(bytes.subarray(range.start, range.end)).toString();

describe("scanObject", () => {
  it("finds every value and every element where JSON.parse finds them", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        fc.constantFrom(undefined, 1, "\t"),
        (others, messages, space) => {
          const value = { ...others, messages };
          const bytes = bytesOf(JSON.stringify(value, undefined, space));
          const scanned = scanObject(bytes, options) as ScannedObject;
          expect([...scanned.fields.keys()].sort()).toEqual(Object.keys(value).sort());
          for (const [key, range] of scanned.fields) {
            expect(JSON.parse(slice(bytes, range))).toEqual(JSON.parse(JSON.stringify(value))[key]);
          }
          expect(scanned.elements?.map((range) => JSON.parse(slice(bytes, range)))).toEqual(
            JSON.parse(JSON.stringify(messages)),
          );
        },
      ),
    );
  });

  it("accepts nothing that JSON.parse rejects, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...'{}[]",:\\ 0a1.eE-tn\n'.split(""), '"messages"', "null", "true"), {
          maxLength: 40,
        }),
        (pieces) => {
          const text = `{${pieces.join("")}}`;
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          const read = () => readJsonBody(bytesOf(text), options);
          if (valid) expect(read().value).toEqual(JSON.parse(text));
          else expect(read).toThrow(/not valid JSON/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["", /empty/],
    ["null", /not null/],
    ["[1]", /not an array/],
    ["3", /not a number/],
    ['{"a":1}x', /not valid JSON/],
    ['{"a":', /not valid JSON/],
    [`{"messages":${"[".repeat(100)}${"]".repeat(100)}}`, /deeper than 64/],
    [`{"a":${"[".repeat(100_000)}`, /deeper than 64/],
  ])("refuses %.20s with a message a client can act on", (text, message) => {
    expect(() => readJsonBody(bytesOf(text), options)).toThrow(message);
  });

  it("refuses invalid UTF-8 instead of repairing it", () => {
    expect(() => readJsonBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), options)).toThrow(/UTF-8/);
  });

  it("keeps a key named __proto__ as data", () => {
    const { value, scanned } = readJsonBody(bytesOf('{"__proto__":{"x":1},"a":2}'), options);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(scanned.fields.has("__proto__")).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("spliceObject", () => {
  it("replaces and adds fields and copies every other byte", () => {
    const bytes = bytesOf('{ "big": 123456789012345678901234567890, "model":"a" , "x":1e400 }');
    const scanned = scanObject(bytes, options) as ScannedObject;
    const out = spliceObject(
      bytes,
      scanned,
      new Map([
        ["model", ['"b"']],
        ["added", ["[", "1", "]"]],
      ]),
    );
    expect(Buffer.concat(out).toString()).toBe(
      '{ "big": 123456789012345678901234567890, "model":"b" , "x":1e400 ,"added":[1]}',
    );
  });

  it("adds to an empty object", () => {
    const bytes = bytesOf("{ }");
    const out = spliceObject(bytes, scanObject(bytes, options) as ScannedObject, new Map([["a", ["1"]]]));
    expect(JSON.parse(Buffer.concat(out).toString())).toEqual({ a: 1 });
  });

  it("replaces the last of two equal keys, the one that counts", () => {
    const bytes = bytesOf('{"a":1,"a":2}');
    const out = spliceObject(bytes, scanObject(bytes, options) as ScannedObject, new Map([["a", ["3"]]]));
    expect(Buffer.concat(out).toString()).toBe('{"a":1,"a":3}');
  });
});

describe("createValueMemo", () => {
  it("gives what JSON.parse gives, and the same object for the same bytes", () => {
    const shared = createValueMemo(20_000);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(3), (value, pad) => {
        const text = JSON.stringify({ value, pad: "x".repeat(100 + pad) });
        const bytes = bytesOf(text);
        const once = shared.parse(bytes, { start: 0, end: bytes.length });
        expect(once).toEqual(JSON.parse(text));
        expect(shared.parse(bytesOf(`,${text}`), { start: 1, end: bytes.length + 1 })).toBe(once);
        expect(Object.isFrozen(once)).toBe(true);
      }),
    );
  });

  it("tells values apart that only differ in the middle", () => {
    const shared = createValueMemo(1_000_000);
    const text = (i: number) =>
      JSON.stringify({ a: "x".repeat(500), middle: String(i).padStart(6, "0"), b: "x".repeat(500) });
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 50; i++) {
        const bytes = bytesOf(text(i));
        expect(shared.parse(bytes, { start: 0, end: bytes.length })).toEqual(JSON.parse(text(i)));
      }
    }
  });
});
