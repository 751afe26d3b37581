import type { Store } from "@midfold/store";
import { startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";
import { temporaryStore } from "../testing/temporary-store.ts";

const open: { close(): Promise<unknown> | undefined }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const minute = 60_000;
const words = (n: number, seed: string) => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`;
interface Conversation {
  readonly topic?: string;
  /** How many times as long each message is. */
  readonly scale?: number;
}
/** A conversation whose last message asks; each turn adds as much as the one before. */
const turns = (n: number, { topic = "Turn", scale = 1 }: Conversation) =>
  Array.from({ length: n * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: words(15 * scale, `${topic} ${i}.`),
  }));

const paths = {
  "anthropic-messages": "/v1/messages",
  "openai-chat": "/v1/chat/completions",
} as const;
type Spoken = keyof typeof paths;

interface Started {
  readonly store?: Store;
  readonly now?: number;
  readonly scale?: number;
}

/** A gateway before a simulated provider, on a clock that only moves when told. */
async function start(protocol: Spoken, { store, now = Date.now(), scale = 1 }: Started = {}) {
  const clock = { now };
  const simulator = await startSimulator({ protocol });
  const anthropic = protocol === "anthropic-messages";
  const baseUrl = anthropic ? simulator.url : `${simulator.url}/v1`;
  const provider = anthropic ? { provider: "anthropic" } : {};
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { ...provider, baseUrl, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", window: 9_000 * scale, preset: "agent" }],
    }),
    now: () => clock.now,
    ...(store === undefined ? {} : { store }),
  });
  open.push(simulator, gateway);
  const ask = async (length: number, more: object = {}, topic?: string) => {
    const messages = turns(length, { scale, ...(topic === undefined ? {} : { topic }) });
    const body = {
      model: anthropic ? "claude-sonnet-4-5" : "gpt-4o",
      messages,
      max_tokens: 500,
      ...more,
    };
    const response = await gateway.post(paths[protocol], body);
    expect(response.status).toBe(200);
    await response.text();
    return {
      outcome: response.headers.get("x-midfold-outcome") ?? "fits",
      breakEven: response.headers.get("x-midfold-break-even"),
      sent: JSON.stringify(simulator.requests.findLast(({ method }) => method === "POST")?.body),
    };
  };
  const listed = async () => (await (await fetch(`${gateway.url}/api/console/requests`)).json()).items;
  const newest = async () => (await listed())[0];
  const shown = async () => (await listed()).length;
  return { clock, gateway, ask, newest, shown };
}

/** The most turns that are sent whole, in a gateway that has learned as much as the one under test. */
async function mostTurns(protocol: Spoken, started?: Started): Promise<number> {
  const { ask, clock } = await start(protocol, started);
  for (let length = 2; ; length++) {
    clock.now += minute;
    if ((await ask(length)).outcome === "folded") return length - 1;
  }
}

/** A conversation that grew a turn a minute, up to just before its last turn that fits. */
async function grown(protocol: Spoken, most: number, started?: Started, more?: object) {
  const running = await start(protocol, started);
  for (let length = 2; length < most; length++) {
    running.clock.now += minute;
    expect((await running.ask(length, more)).outcome).toBe("fits");
  }
  return running;
}

describe("a conversation near its budget, whose provider keeps a cache for five minutes", () => {
  it("is sent whole after a minute; after six it is folded, which has paid at once, and stays as it was sent", async () => {
    const most = await mostTurns("anthropic-messages");
    const warm = await grown("anthropic-messages", most);
    warm.clock.now += minute;
    expect(await warm.ask(most)).toMatchObject({ outcome: "fits", breakEven: null });
    expect((await warm.newest()).fold).toMatchObject({ breakEvenCalls: null, cacheIsCold: false });
    warm.clock.now += minute;
    const due = await warm.ask(most + 1);
    expect(due.outcome).toBe("folded");
    expect(due.breakEven).toMatch(/^calls=[1-9]/);

    const cold = await grown("anthropic-messages", most);
    cold.clock.now += 6 * minute;
    const early = await cold.ask(most);
    expect(early).toMatchObject({ outcome: "folded", breakEven: "calls=0" });
    expect((await cold.newest()).fold).toMatchObject({ breakEvenCalls: 0, cacheIsCold: true });
    cold.clock.now += minute;
    // All of it would still fit.
    const same = await cold.ask(most);
    expect(same).toMatchObject({ outcome: "reused", breakEven: null });
    expect(same.sent).toBe(early.sent);
    expect((await cold.ask(most + 1)).outcome).toBe("reused");
  });

  it("is not folded after a pause while more than a turn still fits", async () => {
    const most = await mostTurns("anthropic-messages");
    const { clock, ask } = await grown("anthropic-messages", most - 2);
    clock.now += 24 * 60 * minute;
    expect((await ask(most - 2)).outcome).toBe("fits");
  });

  it("stays folded also where another replica, which never saw it, gets its next request", async () => {
    const store = await temporaryStore();
    const most = await mostTurns("anthropic-messages");
    const one = await grown("anthropic-messages", most, { store });
    one.clock.now += 6 * minute;
    const early = await one.ask(most);
    expect(early.outcome).toBe("folded");
    const other = await start("anthropic-messages", { store, now: one.clock.now - 3 * minute });
    const same = await other.ask(most);
    expect(same.outcome).toBe("reused");
    expect(same.sent).toBe(early.sent);
  });

  it("is not known to be cold where it never was seen before", async () => {
    const most = await mostTurns("anthropic-messages");
    const { clock, ask, newest } = await grown("anthropic-messages", most);
    clock.now += 6 * minute;
    expect((await ask(most, {}, "Talk")).outcome).toBe("fits");
    expect((await newest()).fold.cacheIsCold).toBeNull();
  });

  it("is folded also where it is so long that a thread does it", async () => {
    const started = { scale: 8 };
    const most = await mostTurns("anthropic-messages", started);
    const { clock, ask } = await grown("anthropic-messages", most, started);
    clock.now += 6 * minute;
    const early = await ask(most);
    expect(early).toMatchObject({ outcome: "folded", breakEven: "calls=0" });
    clock.now += minute;
    expect((await ask(most)).sent).toBe(early.sent);
  });

  it("is folded also where the pause fell into a restart, and stays so after another one", async () => {
    const store = await temporaryStore();
    const restarted = async (now: number, shown: number) => {
      await store.of("local").requests.flush();
      const again = await start("anthropic-messages", { store, now });
      await expect.poll(again.shown).toBe(shown);
      return again;
    };
    const most = await mostTurns("anthropic-messages");
    const first = await grown("anthropic-messages", most, { store });
    const shown = await first.shown();
    await first.gateway.close();
    const second = await restarted(first.clock.now + 6 * minute, shown);
    const early = await second.ask(most);
    expect(early).toMatchObject({ outcome: "folded", breakEven: "calls=0" });
    await second.gateway.close();
    const third = await restarted(second.clock.now + minute, shown + 1);
    expect((await third.newest()).fold).toMatchObject({ breakEvenCalls: 0, cacheIsCold: true });
    const same = await third.ask(most);
    expect(same.outcome).toBe("reused");
    expect(same.sent).toBe(early.sent);
  });
});

const hour = 60 * minute;
const kept = { type: "ephemeral", ttl: "1h" };

it.each<[string, Spoken, object, number, number]>([
  ["an hour where the request asks for it", "anthropic-messages", { cache_control: kept }, 50 * minute, 70 * minute],
  ["ten minutes with OpenAI", "openai-chat", {}, 9 * minute, 11 * minute],
  ["a day where OpenAI is asked to", "openai-chat", { prompt_cache_retention: "24h" }, 20 * hour, 25 * hour],
])("a cache is kept for %s", async (_, protocol, more, warm, cold) => {
  const most = await mostTurns(protocol);
  for (const [pause, outcome] of [
    [warm, "fits"],
    [cold, "folded"],
  ] as const) {
    const { clock, ask } = await grown(protocol, most, undefined, more);
    clock.now += pause;
    expect((await ask(most, more)).outcome).toBe(outcome);
  }
});
