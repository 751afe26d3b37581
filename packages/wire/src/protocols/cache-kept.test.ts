import { expect, it } from "vitest";
import { upstreamTraits } from "../traits/traits-of.ts";
import { protocols } from "./protocols.ts";

const minute = 60_000;
const hour = 60 * minute;
const marked = (mark: object | undefined) => [{ type: "text", text: "hi", ...(mark && { cache_control: mark }) }];
const five = { type: "ephemeral" };
const long = { type: "ephemeral", ttl: "1h" };

it.each([
  [undefined, 5 * minute],
  [{ messages: "none" }, 5 * minute],
  [{ messages: [{ role: "user", content: "hi" }] }, 5 * minute],
  [{ messages: [{ role: "user", content: marked(five) }] }, 5 * minute],
  [{ messages: [{ role: "user", content: marked({ type: "ephemeral", ttl: "5m" }) }] }, 5 * minute],
  [{ messages: [{ role: "user", content: marked(long) }] }, hour],
  [{ cache_control: long, messages: [{ role: "user", content: "hi" }] }, hour],
  [{ system: marked(long), messages: [{ role: "user", content: "hi" }] }, hour],
  // The system prompt is kept for longer, what was said is not.
  [{ system: marked(long), messages: [{ role: "user", content: marked(five) }] }, 5 * minute],
  [
    {
      messages: [
        { role: "user", content: marked(long) },
        { role: "user", content: [...marked(five), ...marked(undefined)] },
      ],
    },
    5 * minute,
  ],
])("Anthropic keeps the prefix of %j for %d ms", (body, kept) => {
  expect(protocols["anthropic-messages"].body.cacheKeptMs(body)).toBe(kept);
});

it.each(["openai-chat", "openai-responses"] as const)("OpenAI keeps it for ten minutes, or a day, in %s", (name) => {
  const { cacheKeptMs } = protocols[name].body;
  expect(cacheKeptMs(undefined)).toBe(10 * minute);
  expect(cacheKeptMs({ prompt_cache_retention: "in_memory" })).toBe(10 * minute);
  expect(cacheKeptMs({ prompt_cache_retention: "24h" })).toBe(24 * hour);
});

it("a provider that keeps it on disk says so", () => {
  expect(upstreamTraits.deepseek.cacheKeptMs).toBeGreaterThan(hour);
  expect(upstreamTraits.openai.cacheKeptMs).toBeUndefined();
});
