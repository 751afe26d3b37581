import { presets } from "@midfold/core";
import { protocols } from "@midfold/wire";
import { describe, expect, it } from "vitest";
import { isProvablySmall } from "./fit-turn.ts";
import { createMessageScanner } from "./scan-messages.ts";

const text = (bytes: number) => ({ bytes, bounded: true });

describe("isProvablySmall", () => {
  it("holds when there are fewer bytes than tokens allowed", () => {
    expect(isProvablySmall(text(100), presets.proxy, 1000, 100)).toBe(true);
    expect(isProvablySmall(text(101), presets.proxy, 1000, 100)).toBe(false);
  });
  it("does not hold for what is larger than its bytes", () => {
    expect(isProvablySmall({ bytes: 10, bounded: false }, presets.proxy, 100_000, 90_000)).toBe(false);
  });
  it("leaves presets that look at single results or at numbers of messages alone", () => {
    const clipping = { ...presets.agent, clipNewResults: 0.1 };
    expect(isProvablySmall(text(50), clipping, 1000, 900)).toBe(true);
    expect(isProvablySmall(text(500), clipping, 1000, 900)).toBe(false);
    expect(isProvablySmall(text(500), presets.agent, 1000, 900)).toBe(true);
    expect(isProvablySmall(text(50), presets.compact, 1000, 900)).toBe(false);
  });
});

describe("createMessageScanner", () => {
  const { scan } = createMessageScanner();
  const chat = protocols["openai-chat"];
  const image = { type: "image_url", image_url: { url: "https://x.example/large.png" } };
  it.each([
    [[{ role: "user", content: "hi" }], true],
    [[{ role: "user", content: [{ type: "text", text: "an image of a file" }] }], true],
    [
      [
        { role: "user", content: "hi" },
        { role: "user", content: [image] },
      ],
      false,
    ],
    [[{ nonsense: true }], false],
    [["text"], false],
  ])("sees whether %j is text only", async (messages, bounded) =>
    expect((await scan(chat, messages)).bounded).toBe(bounded),
  );
  it("sees a summary of ours", async () => {
    const items = [{ type: "compaction", id: "c", encrypted_content: "midfold.summary.aGk" }];
    expect((await scan(protocols["openai-responses"], items)).sealed).toBe(true);
    expect(
      (await scan(protocols["openai-responses"], [{ type: "message", role: "user", content: "midfold.summary.x" }]))
        .sealed,
    ).toBe(false);
  });
});
