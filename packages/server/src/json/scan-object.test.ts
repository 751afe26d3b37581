import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonBody } from "./read-json-body.ts";
import { type ScannedObject, scanObject } from "./scan-object.ts";
import { spliceObject } from "./splice-object.ts";
import { createValueMemo, type ValueMemo } from "./value-memo.ts";

const bytesOf = (text: string) => Buffer.from(text);
const memo = createValueMemo(1_000_000);
/** Takes longer for each value than one slice. */
const slowly: ValueMemo = {
  ...memo,
  parse: (bytes, range) => {
    const until = performance.now() + 11;
    while (performance.now() < until);
    return createValueMemo(0).parse(bytes, range);
  },
};
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

  it("accepts nothing that JSON.parse rejects, whatever the bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...'{}[]",:\\ 0a1.eE-tn\n'.split(""), '"messages"', "null", "true"), {
          maxLength: 40,
        }),
        async (pieces) => {
          const text = `{${pieces.join("")}}`;
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          const read = readJsonBody(bytesOf(text), options);
          if (valid) expect((await read).value).toEqual(JSON.parse(text));
          else await expect(read).rejects.toThrow(/not valid JSON/);
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
  ])("refuses %.20s with a message a client can act on", async (text, message) => {
    await expect(readJsonBody(bytesOf(text), options)).rejects.toThrow(message);
  });

  it("refuses more values or messages than allowed as soon as it has met them", async () => {
    const limits = { ...options, maxValues: 100, maxElements: 10 };
    const read = (text: string) => readJsonBody(bytesOf(text), limits);
    await expect(read(`{"x":[${"{},".repeat(200)}{}]}`)).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
    await expect(read(`{"x":${"[".repeat(40)}${"]".repeat(40)},"y":[${"1,".repeat(90)}1]}`)).rejects.toThrow(
      /100 values/,
    );
    await expect(read(`{"messages":[${"{},".repeat(10)}{}]}`)).rejects.toThrow(/10 messages/);
    expect((await read(`{"messages":[${"{},".repeat(9)}{}],"x":[1,2,3]}`)).value.x).toEqual([1, 2, 3]);
    // What is inside a text is no value.
    expect((await read(`{"messages":[{"content":"${"[,]{}".repeat(500)}"}]}`)).scanned.elements).toHaveLength(1);
  });

  it("reads on no further once the client has left", async () => {
    const text = `{"messages":[${Array.from({ length: 3_000 }, (_, i) => `{"content":"${i} ${"x".repeat(300)}"}`).join(",")}]}`;
    const controller = new AbortController();
    const read = readJsonBody(bytesOf(text), { ...options, memo: slowly, signal: controller.signal });
    controller.abort(new Error("left"));
    await expect(read).rejects.toThrow("left");
  });

  it("refuses invalid UTF-8 instead of repairing it", async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await expect(readJsonBody(bytes, options)).rejects.toThrow(/UTF-8/);
  });

  it("keeps a key named __proto__ as data", async () => {
    const { value, scanned } = await readJsonBody(bytesOf('{"__proto__":{"x":1},"a":2}'), options);
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
