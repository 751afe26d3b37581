import { describe, expect, it } from "vitest";
import { explainJson, type ReadJsonOptions, readJsonBody } from "./read-json-body.ts";
import { createValueMemo } from "./value-memo.ts";

/** Reads a text, and says how long the texts are that were handed to the other thread. */
async function read(text: string) {
  const handed: number[] = [];
  const options: ReadJsonOptions = {
    maxDepth: 64,
    elementsOf: "messages",
    memo: createValueMemo(0),
    elsewhere: {
      parse: async (bytes) => {
        handed.push(bytes.byteLength);
        return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
      },
      explain: async (bytes) => explainJson(bytes),
    },
  };
  return { body: await readJsonBody(Buffer.from(text), options), handed };
}

const part = (i: number) => ({ type: "text", text: `${i} ${"the quick brown fox ".repeat(10)}` });
const manyParts = Array.from({ length: 12_000 }, (_, i) => part(i));

describe("a long value of many short ones", () => {
  it("is parsed here in slices: handing them over would hold the event loop longer", async () => {
    const value = { messages: [{ role: "user", content: manyParts }], tools: manyParts };
    const { body, handed } = await read(JSON.stringify(value));
    expect(body.value).toEqual(value);
    expect(handed).toEqual([]);
  });

  it("has only its long texts parsed by the other thread", async () => {
    const long = "line of a log\n".repeat(200_000);
    const content = [...manyParts, { type: "tool_result", content: [{ type: "text", text: long }, part(1)] }];
    const value = { messages: [{ role: "user", content }] };
    const { body, handed } = await read(JSON.stringify(value));
    expect(body.value).toEqual(value);
    expect(handed).toEqual([JSON.stringify(long).length]);
  });

  it("says what JSON.parse says of repeated and odd keys", async () => {
    const list = JSON.stringify(manyParts);
    const text = `{"messages":[{"content":1,"2":0,"__proto__":{"a":1},"content":${list},"1":0,"":[ ]}],"x":{"y":${list}}}`;
    const { body, handed } = await read(text);
    expect(JSON.stringify(body.value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf((body.value.messages as object[])[0])).toBe(Object.prototype);
    expect(handed).toEqual([]);
  });

  it("is refused where a piece is no JSON", async () => {
    const good = JSON.stringify({ messages: [{ role: "user", content: manyParts }] });
    const at = good.indexOf('"text"', 1_000_000);
    for (const wrong of ["tru ", "1 2", "'text'", "\\"]) {
      const text = `${good.slice(0, at)}${wrong}${good.slice(at + 6)}`;
      await expect(read(text)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    }
  });

  it("is parsed in one piece below the deepest level looked through", async () => {
    const value = { messages: [{ a: { b: { c: { d: { e: manyParts } } } } }] };
    const { body, handed } = await read(JSON.stringify(value));
    expect(body.value).toEqual(value);
    expect(handed).toHaveLength(1);
  });
});
