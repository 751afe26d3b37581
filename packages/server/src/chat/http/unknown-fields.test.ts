import { describe, expect, it } from "vitest";
import type { Operation } from "../../api/operation.ts";
import { type OperationName, operations } from "../../api/operations.ts";
import { useHarness } from "../chat-harness.test-data.ts";

describe("what an operation does not know", () => {
  const chat = useHarness();

  const names = Object.keys(operations) as OperationName[];
  const params = { sessionId: "s", messageId: "m", summaryId: "x", foldId: "f", keyId: "k", name: "n" };
  const refusal = async (name: OperationName, request: object) => {
    const response = await chat.raw(name, { params, ...request });
    return [response.status, response.ok ? "" : ((await response.json()) as { detail: string }).detail];
  };

  it.each(names)("%s refuses a parameter it has not", async (name) => {
    expect(await refusal(name, { query: { nonsense: "1" } })).toEqual([
      400,
      expect.stringMatching(/^query\.nonsense: there is no such field/),
    ]);
  });

  it.each(names.filter((name) => (operations[name] as Operation).method !== "get"))(
    "%s refuses a field it has not, before it does anything",
    async (name) => {
      expect(await refusal(name, { body: { nonsense: 1 } })).toEqual([
        400,
        expect.stringMatching(/^body\.nonsense: there is no such field/),
      ]);
    },
  );

  it("names the field, however deep it is, and what there is", async () => {
    const session = await chat.start();
    const say = async (body: object) => refusal("sendMessage", { params: { sessionId: session.id }, body });
    const parts = [
      { type: "text", text: "Hi" },
      { type: "file", name: "a.txt", text: "words", mime: "text/plain" },
    ];
    expect(await say({ parts })).toEqual([
      400,
      "body.parts.1.mime: there is no such field; there are type, name, mediaType, data, text, url, fileId, bytes.",
    ]);
    expect(await say({ txt: "Hi" })).toEqual([400, expect.stringContaining("body.txt: there is no such field")]);
    expect(await say({ parts: [{ type: "song" }] })).toEqual([400, expect.stringContaining("body.parts.0")]);
    // The first wrong part is named and the rest is not looked at.
    const wrong = [{ type: "text", text: "Hi" }, {}, { type: "song" }];
    expect(await say({ parts: wrong })).toEqual([400, "body.parts.1.type: must be one of text, image, file."]);
    const { total } = await chat.call("listMessages", { params: { sessionId: session.id } });
    expect(total).toBe(0);
  });

  it("takes an empty body, and an empty object, where there is nothing to say", async () => {
    const { id: sessionId } = await chat.start();
    for (const request of [{}, { body: {} }]) {
      expect((await chat.raw("stopReply", { params: { sessionId }, ...request })).status).toBe(200);
    }
  });
});
