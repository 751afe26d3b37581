import { describe, expect, it } from "vitest";
import { mendBody } from "./mend-body.ts";

const marked = { cache_control: { type: "ephemeral" } };
const text = (words: string, extra: object = {}) => ({ type: "text", text: words, ...extra });
const user = (...content: object[]) => ({ role: "user", content });

describe("mendBody", () => {
  it("leaves a body alone that needs no mending", () => {
    const body = { messages: [user(text("a", marked), text("b", marked))], system: [text("s", marked), text("t")] };
    expect(mendBody(body)).toBe(body);
  });

  it("B1.16 takes surplus cache marks from the oldest messages, also inside tool results, and then from tools", () => {
    const result = { type: "tool_result", tool_use_id: "1", content: [text("r", marked)] };
    const kept = user(text("new", marked));
    const mended = mendBody({
      tools: [{ name: "a", ...marked, input_schema: { properties: { cache_control: { type: "object" } } } }],
      system: [text("1", marked), text("2", marked)],
      messages: [user(text("old", marked), result), { role: "assistant", content: [text("ok")] }, kept],
    }) as { tools: object[]; system: object[]; messages: object[] };
    expect(mended.messages[0]).toEqual(user(text("old"), { ...result, content: [text("r")] }));
    expect(mended.messages[2]).toBe(kept);
    expect(mended.tools[0]).toMatchObject(marked);
    const crowded = mendBody({
      tools: ["a", "b", "c"].map((name) => ({ name, ...marked })),
      system: [text("1", marked), text("2", marked)],
      messages: [kept],
    }) as typeof mended;
    expect(crowded.messages).toEqual([user(text("new"))]);
    expect(crowded.tools).toEqual([{ name: "a" }, { name: "b", ...marked }, { name: "c", ...marked }]);
  });
});
