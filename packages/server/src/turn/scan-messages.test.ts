import { protocols } from "@midfold/wire";
import { expect, it } from "vitest";
import { createMessageScanner } from "./scan-messages.ts";

const { root, scan } = createMessageScanner();

it.each(Object.values(protocols))(
  "a plain text means the same as the same text in a block: $name",
  async (protocol) => {
    const block = { type: protocol.name === "openai-responses" ? "input_text" : "text", text: "Hello there" };
    const plain = [
      { role: "assistant", content: "Welcome." },
      { role: "user", content: "Hello there" },
    ];
    const spelledOut = [{ role: "user", content: [block] }];
    expect(root(protocol, plain)).toMatch(/^[0-9a-f]{16}$/);
    expect(root(protocol, plain)).toBe(root(protocol, spelledOut));
    expect(root(protocol, [{ role: "user", content: "Hello where" }])).not.toBe(root(protocol, plain));
    expect(await scan(protocol, plain)).toEqual({ bounded: true, sealed: false, signed: false });
    expect(await scan(protocol, [...plain, { role: "nobody", content: "x" }])).toMatchObject({ bounded: false });
  },
);

it("a text beside something that refers to more is not bounded by its size", async () => {
  const picture = { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.org/a.png" } }] };
  expect(await scan(protocols["openai-chat"], [{ role: "user", content: "See:" }, picture])).toMatchObject({
    bounded: false,
  });
});
