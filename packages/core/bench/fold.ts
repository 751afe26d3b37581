// Folding conversations of 400 to 32 000 messages beside the libraries people use for it, in one run on one machine.
//   first sight   fresh objects, and a counter that has seen nothing: a process that starts, or a new conversation
//   growing       fresh objects again, as every caller has that parses JSON; two messages more than the call before
//   seen again    the very same array
// Medians, for us and for them alike. Peers know no state: growing and seen again cost them what first sight does.
import { setImmediate } from "node:timers/promises";
import { longDraft, toAiSdk, toOpenaiChat } from "@midfold/testkit";
import { type FoldOptions, type FoldRecord, foldSync, presets } from "../src/index.ts";
import { TiktokenCounter } from "../src/tokens.ts";
import { installPeers } from "./install-peers.ts";

const peers = await installPeers("fold-peers");
const { pruneMessages } = await peers.load("ai");
const { trimMessages, HumanMessage, AIMessage, SystemMessage, ToolMessage } =
  await peers.load("@langchain/core/messages");
const { planCompaction } = await peers.load("@context-chef/core");

type Chat = ReturnType<typeof toOpenaiChat>;

const sizes = [400, 2_000, 8_000, 32_000];
const manners = ["first sight", "growing", "seen again"] as const;
const window = 128_000;
const options = { model: "gpt-4o", window, maxOutputTokens: 4_000 } as const;
const drop = { ...presets.agent, name: "drop", replace: "nothing", rungs: ["fold-middle", "shorten-tail"] } as const;
const most = { "first sight": 5, growing: 15, "seen again": 15 };
const patience = 1_500;

interface Row {
  readonly name: string;
  readonly note: string;
  /** Medians in milliseconds, by manner and size. */
  readonly times: Record<(typeof manners)[number], number[]>;
}

const rows: Row[] = [];
const row = (name: string, note: string): Row => {
  const made = { name, note, times: { "first sight": [], growing: [], "seen again": [] } };
  rows.push(made);
  return made;
};
const ours = {
  count: row("Midfold, all fits", "exact o200k counts of every message"),
  digest: row("Midfold, digest of the middle", "within budget, pairs whole, verified"),
  drop: row("Midfold, middle left out", "the same without a digest"),
};
const theirs = {
  prune: row("AI SDK pruneMessages", "no tokens, no budget"),
  chef: row("context-chef planCompaction", "no tokens, no budget: turns only"),
  trim: row("LangChain trimMessages", "approximate tokens; up to 8 000, it is quadratic"),
};

for (const size of sizes) {
  // Twenty more than the size, to grow by.
  const draft = longDraft({ turns: Math.ceil(size / 3) + 20, seed: 11, toolShare: 0.5, maxMessages: size + 40 });
  const chat = toOpenaiChat(draft);
  await measureOurs(ours.count, chat, size, { ...options, preset: "full-history", budget: 1e9 });
  await measureOurs(ours.digest, chat, size, options);
  await measureOurs(ours.drop, chat, size, { ...options, preset: drop });

  const sdk = toAiSdk(draft);
  await measureTheirs(
    theirs.prune,
    (end) => sdk.slice(0, end),
    size,
    (messages) => pruneMessages({ messages, reasoning: "all", toolCalls: "before-last-6-messages" }),
  );
  const chefMessages = chat.map((message) => ({ ...message, content: message.content ?? "" }));
  await measureTheirs(
    theirs.chef,
    (end) => chefMessages.slice(0, end),
    size,
    (messages) => planCompaction(messages, { keepRecentTurns: 40 }),
  );
  if (size > 8_000) continue;
  const approximate = (list: { content: unknown }[]) =>
    list.reduce((sum, message) => sum + Math.ceil(String(message.content).length / 4) + 3, 0);
  await measureTheirs(
    theirs.trim,
    (end) => toLangChain(chat.slice(0, end)),
    size,
    (messages) =>
      trimMessages(messages, { maxTokens: 100_000, tokenCounter: approximate, strategy: "last", includeSystem: true }),
  );
}

print();

const countThousand = (ours.count.times["first sight"][1]! / sizes[1]!) * 1_000;
const perMessage = (index: number) => ours.digest.times["first sight"].at(index)! / sizes.at(index)!;
const growth = perMessage(-1) / perMessage(1);
const aims = {
  // Quadratic would be 16 times the cost per message; memory that no longer fits the caches costs a few.
  linear: growth <= 4,
  count1000Under50ms: countThousand < 50,
};
console.log(
  `\nper message at 32 000 against 2 000: × ${growth.toFixed(2)}   1 000 messages counted at first sight: ${countThousand.toFixed(1)} ms`,
);
const at8000 = Object.fromEntries(
  rows.map(({ name, times }) => [name, manners.map((manner) => round(times[manner][sizes.indexOf(8_000)]))]),
);
console.log(`RESULT ${JSON.stringify({ bench: "fold", aims, manners, at8000, growth, countThousand })}`);
process.exitCode = Object.values(aims).every(Boolean) ? 0 : 1;

async function measureOurs(target: Row, chat: Chat, size: number, given: FoldOptions): Promise<void> {
  const first = await median(most["first sight"], () => {
    const fresh = structuredClone(chat.slice(0, size));
    const counter = new TiktokenCounter("gpt-4o");
    return () => foldSync(fresh, { ...given, counter });
  });
  const counter = new TiktokenCounter("gpt-4o");
  let state: FoldRecord | undefined;
  let end = size;
  ({ state } = foldSync(structuredClone(chat.slice(0, end)), { ...given, counter }));
  const growing = await median(most.growing, () => {
    end += 2;
    const fresh = structuredClone(chat.slice(0, end));
    return () => {
      ({ state } = foldSync(fresh, { ...given, counter, ...(state !== undefined && { state }) }));
    };
  });
  const same = chat.slice(0, size);
  foldSync(same, { ...given, counter });
  const again = await median(most["seen again"], () => () => foldSync(same, { ...given, counter }));
  target.times["first sight"].push(first);
  target.times.growing.push(growing);
  target.times["seen again"].push(again);
}

async function measureTheirs<T>(
  target: Row,
  make: (end: number) => T[],
  size: number,
  run: (messages: T[]) => unknown,
): Promise<void> {
  const same = make(size);
  let end = size;
  target.times["first sight"].push(
    await median(most["first sight"], () => {
      const fresh = make(size);
      return () => run(fresh);
    }),
  );
  target.times.growing.push(
    await median(most.growing, () => {
      end += 2;
      const fresh = make(end);
      return () => run(fresh);
    }),
  );
  target.times["seen again"].push(await median(most["seen again"], () => () => run(same)));
}

/**
 * The median of several runs, each prepared outside the time taken; slow ones are repeated less often, thrice at least.
 * Between runs the event loop turns, or nothing that a weak reference saw could be freed.
 */
async function median(runs: number, prepare: () => () => unknown): Promise<number> {
  const times: number[] = [];
  for (let spent = 0; times.length < runs && (times.length < 3 || spent < patience); ) {
    const run = prepare();
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
    spent += times.at(-1)!;
    await setImmediate();
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

function toLangChain(chat: Chat): unknown[] {
  return chat.map((message) => {
    const content = String(message.content ?? "");
    if (message.role === "system") return new SystemMessage(content);
    if (message.role === "user") return new HumanMessage(content);
    if (message.role === "tool") return new ToolMessage({ content, tool_call_id: message.tool_call_id });
    const calls = (message.tool_calls ?? []) as { id: string; function: { name: string } }[];
    return new AIMessage({
      content,
      tool_calls: calls.map((call) => ({ id: call.id, name: call.function.name, args: {} })),
    });
  });
}

function round(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 100) / 100;
}

function print(): void {
  const cell = (value: number | undefined) =>
    (value === undefined ? "–" : value < 10 ? value.toFixed(2) : value.toFixed(0)).padStart(10);
  for (const manner of manners) {
    console.log(`\n${manner}, median ms`.padEnd(36) + sizes.map((size) => String(size).padStart(10)).join(""));
    for (const { name, note, times } of rows) {
      console.log(`${name.padEnd(34)}${sizes.map((_, index) => cell(times[manner][index])).join("")}   ${note}`);
    }
  }
}
