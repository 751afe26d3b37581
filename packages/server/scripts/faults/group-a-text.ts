import { type Check, check, ms, require, requireEqual } from "./check.ts";
import { sendRaw, statusOf } from "./raw-socket.ts";
import { chat, hello, posts, withDemo, withStage } from "./setup.ts";

const million = 1_000_000;

/** Counts each text and returns how long the slowest took; the health check runs beside it. */
async function countAll(texts: Readonly<Record<string, string>>): Promise<string> {
  return withDemo({}, async ({ url, post }) => {
    let slowest = { name: "", took: 0 };
    let worstHealth = 0;
    for (const [name, content] of Object.entries(texts)) {
      const startedAt = performance.now();
      const counting = post("/v1/messages/count_tokens", { model: "gpt-4o", messages: [{ role: "user", content }] });
      let open = true;
      void counting.finally(() => {
        open = false;
      });
      while (open) {
        const asked = performance.now();
        await (await fetch(`${url}/healthz`)).text();
        worstHealth = Math.max(worstHealth, performance.now() - asked);
      }
      const response = await counting;
      requireEqual(response.status, 200, name);
      require((await response.json()).input_tokens > 0, `${name}: counted 0`);
      const took = performance.now() - startedAt;
      require(took < 8_000, `${name}: took ${ms(took)}`);
      if (took > slowest.took) slowest = { name, took };
    }
    return `slowest ${slowest.name} ${ms(slowest.took)}, health beside it at most ${ms(worstHealth)}`;
  });
}

export const textChecks: readonly Check[] = [
  {
    id: "A1",
    fault: "1e6 x one letter, space, newline, _, NUL",
    run: () =>
      countAll({
        a: "a".repeat(million),
        space: " ".repeat(million),
        newline: "\n".repeat(million),
        underscore: "_".repeat(million),
        nul: "\u0000".repeat(million),
      }),
  },
  {
    id: "A2",
    fault: "1e6 emoji, acgt, CJK, base64",
    run: () =>
      countAll({
        emoji: "😀".repeat(million / 2),
        acgt: Array.from({ length: million }, (_, i) => "acgt"[(i * 7919 + (i >> 3)) % 4]).join(""),
        cjk: Array.from({ length: million }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 8000))).join(""),
        base64: Buffer.from(Array.from({ length: 750_000 }, (_, i) => (i * 7919 + (i >> 5)) % 256)).toString("base64"),
      }),
  },
  check(
    "A3",
    "special-token text in any role",
    withStage,
    { upstream: { unknownFields: "ignore" } },
    async ({ simulator, gateway }) => {
      const messages = ["system", "user", "assistant", "user"].map((role) => ({
        role,
        content: "<|endoftext|><|im_start|>system",
      }));
      const raw = JSON.stringify({ model: "gpt-4o", messages });
      requireEqual((await gateway.post(chat, raw)).status, 200, "status");
      requireEqual(posts(simulator)[0]?.raw.toString(), raw, "forwarded bytes");
      return "forwarded byte-equal";
    },
  ),
  check("A4", "lone surrogates in content", withStage, {}, async ({ simulator, gateway }) => {
    await gateway.post(
      chat,
      '{"model":"gpt-4o","messages":[{"role":"user","content":"a\\ud83d b\\ude00 \\ud83d\\ude00"}]}',
    );
    const sent = (posts(simulator)[0]?.body ?? {}) as typeof hello;
    requireEqual(sent.messages[0]?.content, "a\ufffd b\ufffd 😀", "content");
    return "replaced by U+FFFD, everything else in place";
  }),
  check(
    "A5",
    "cutting text at any index",
    withStage,
    { upstream: { window: 3_000 }, route: { window: 3_000, tools: "fold" } },
    async ({ simulator, gateway }) => {
      const messages = Array.from({ length: 41 }, (_, i) => ({
        role: i % 2 === 0 ? "user" : "assistant",
        content: `${i}${"👩‍👩‍👧‍👦🇩🇪é".repeat(30 + i)}`,
      }));
      requireEqual((await gateway.post(chat, { model: "gpt-4o", messages })).status, 200, "status");
      const sent = (posts(simulator)[0]?.body ?? { messages: [] }) as typeof hello;
      for (const { content } of sent.messages)
        require(content.isWellFormed() && !content.includes("\ufffd"), "a character was cut");
      return `${sent.messages.length} of 41 messages sent, all well-formed`;
    },
  ),
  check("A6", "NUL and other control characters", withStage, {}, async ({ simulator, gateway }) => {
    const content = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
    requireEqual((await gateway.post(chat, { ...hello, messages: [{ role: "user", content }] })).status, 200, "status");
    requireEqual(((posts(simulator)[0]?.body ?? {}) as typeof hello).messages[0]?.content, content, "content");
    return "forwarded as they are; the store's suite runs them on both databases";
  }),
  check("A7", "invalid UTF-8", withDemo, {}, async ({ url }) => {
    const body = Buffer.concat([
      Buffer.from('{"model":"m","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from('"}]}'),
    ]);
    const head = `POST ${chat} HTTP/1.1\r\nhost: 127.0.0.1:${new URL(url).port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
    const response = await sendRaw(url, Buffer.concat([Buffer.from(head), body]));
    requireEqual(statusOf(response), 400, "status");
    require(response.includes("UTF-8"), "the message does not say why");
    return "400, says UTF-8";
  }),
];
