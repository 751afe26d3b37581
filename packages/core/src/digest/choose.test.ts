import { expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { digest } from "./digest.ts";

it("a quotation in a small note does not begin with what closes the words before it", () => {
  const counter = getCounter("gpt-4o");
  const rows = Array.from(
    { length: 30 },
    (_, at) => `first (part ${at}), then; see hall_${at}.csv, rows ${at * 91}: ready). Next`,
  );
  const result: Message = {
    role: "tool",
    parts: [{ type: "tool-result", callId: "c", content: [{ type: "text", text: rows.join(" ") }] }],
  };
  const call: Message = { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "look", input: "{}" }] };
  let quoted = 0;
  for (let room = 60; room < 480; room += 20) {
    for (const { section, text } of digest([call, result], { counter, maxTokens: room }).items) {
      if (section !== "log") continue;
      quoted++;
      expect(text).toMatch(/^[^\s,;:.)\]}]/);
    }
  }
  expect(quoted).toBeGreaterThan(50);
});
