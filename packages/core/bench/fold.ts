// Folding conversations of 400 to 100 000 messages beside the libraries people use for it, all in one run on one machine.
// Cold: a text is seen for the first time. Warm: the same conversation again. Ratios count here, not milliseconds.
import { longDraft, toAiSdk, toOpenaiChat } from "@midfold/testkit";
import { foldSync, getCounter, presets, TiktokenCounter } from "../src/index.ts";
import { installPeers } from "./install-peers.ts";

const peers = await installPeers("fold-peers");
const { pruneMessages } = await peers.load("ai");
const { trimMessages, HumanMessage, AIMessage, SystemMessage, ToolMessage } =
  await peers.load("@langchain/core/messages");
const { planCompaction } = await peers.load("@context-chef/core");

const sizes = [400, 2_000, 8_000, 32_000, 100_000];
const window = 128_000;
const options = { model: "gpt-4o", window, maxOutputTokens: 4_000 } as const;
const drop = { ...presets.agent, name: "drop", replace: "nothing", rungs: ["fold-middle", "shorten-tail"] } as const;

interface Row {
  readonly name: string;
  readonly note: string;
  readonly cold: number[];
  readonly warm: number[];
}

const rows: Row[] = [];
const row = (name: string, note: string): Row => {
  const made = { name, note, cold: [], warm: [] };
  rows.push(made);
  return made;
};
const ours = {
  drop: row("Midfold, middle left out", "exact tokens, pairs whole, verified"),
  digest: row("Midfold, digest of the middle", "the same, with ledger of exact facts"),
  reuse: row("Midfold, earlier fold reused", "what a growing conversation meets on most calls"),
  count: row("Midfold, counting only", "exact o200k counts of every message"),
};
const theirs = {
  prune: row("AI SDK pruneMessages", "no tokens, no budget"),
  chef: row("context-chef planCompaction", "no tokens, no budget: turns only"),
  trim: row("LangChain trimMessages", "approximate tokens; stops at 8 000, it is quadratic"),
};

for (const messages of sizes) {
  const draft = longDraft({ turns: Math.ceil(messages / 3), seed: 11, toolShare: 0.5, maxMessages: messages });
  const chat = toOpenaiChat(draft);
  const sdk = toAiSdk(draft);
  const chef = chat.map((message) => ({ ...message, content: message.content ?? "" }));
  const langchain = chat.map((message) => {
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

  // A counter of its own per size, so that cold is cold.
  const fresh = () => new TiktokenCounter("gpt-4o");
  const counter = fresh();
  ours.drop.cold.push(time(() => foldSync(chat, { ...options, preset: drop, counter }), 1));
  ours.drop.warm.push(time(() => foldSync(chat, { ...options, preset: drop, counter })));
  ours.digest.cold.push(time(() => foldSync(chat, { ...options, counter: fresh() }), 1));
  ours.digest.warm.push(time(() => foldSync(chat, { ...options, counter })));
  const { state } = foldSync(chat.slice(0, -2), { ...options, preset: drop, counter });
  ours.reuse.cold.push(Number.NaN);
  ours.reuse.warm.push(
    state === undefined ? Number.NaN : time(() => foldSync(chat, { ...options, preset: drop, counter, state })),
  );
  ours.count.cold.push(
    time(() => foldSync(chat, { ...options, preset: "full-history", budget: 1e9, counter: fresh() }), 1),
  );
  ours.count.warm.push(time(() => foldSync(chat, { ...options, preset: "full-history", budget: 1e9, counter })));

  const both = (target: Row, run: () => unknown) => {
    target.cold.push(time(run, 1));
    target.warm.push(time(run));
  };
  both(theirs.prune, () => pruneMessages({ messages: sdk, reasoning: "all", toolCalls: "before-last-6-messages" }));
  both(theirs.chef, () => planCompaction(chef, { keepRecentTurns: 40 }));
  if (messages <= 8_000) {
    const approximate = (list: { content: unknown }[]) =>
      list.reduce((sum, message) => sum + Math.ceil(String(message.content).length / 4) + 3, 0);
    const trim = () =>
      trimMessages(langchain, { maxTokens: 100_000, tokenCounter: approximate, strategy: "last", includeSystem: true });
    theirs.trim.cold.push(await timeAsync(trim));
    theirs.trim.warm.push(await timeAsync(trim));
  }
}

print();

const at = (target: Row, messages: number) => target.warm[sizes.indexOf(messages)]!;
const fastestPeer = Math.min(...Object.values(theirs).map((peer) => at(peer, 8_000) ?? Number.POSITIVE_INFINITY));
const perMessage = ours.drop.warm.map((ms, index) => ms / sizes[index]!);
const growth = perMessage.at(-1)! / perMessage[1]!;
const hundred = toOpenaiChat(longDraft({ turns: 34, seed: 3, toolShare: 0.5, maxMessages: 100 }));
const truncateHundred = time(() =>
  foldSync(hundred, { ...options, budget: 4_000, preset: drop, counter: getCounter("gpt-4o") }),
);
const countThousand = (at(ours.count, 2_000) / 2_000) * 1_000;
const aims = {
  // Quadratic would be 50 times the cost per message; memory that no longer fits the caches costs a few.
  linear: growth <= 6,
  warmAtOrUnderFastestPeer: at(ours.drop, 8_000) <= fastestPeer,
  count1000Under50ms: countThousand < 50,
  truncate100Under5ms: truncateHundred < 5,
};
console.log(
  `\nper message at 100 000 against 2 000: × ${growth.toFixed(2)}   1 000 messages counted warm: ${countThousand.toFixed(2)} ms   100 messages truncated: ${truncateHundred.toFixed(2)} ms`,
);
console.log(
  `RESULT ${JSON.stringify({ bench: "fold", aims, warm8000: { ours: at(ours.drop, 8_000), reused: at(ours.reuse, 8_000), digest: at(ours.digest, 8_000), fastestPeer }, growth, countThousand, truncateHundred })}`,
);
process.exitCode = Object.values(aims).every(Boolean) ? 0 : 1;

/** The best of several runs, since noise only ever adds; long ones are repeated less often. */
function time(run: () => unknown, runs = 30): number {
  let best = Number.POSITIVE_INFINITY;
  const begin = performance.now();
  for (let i = 0; i < runs && (i < 2 || performance.now() - begin < 2_000); i++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

async function timeAsync(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function print(): void {
  const cell = (value: number | undefined) =>
    (value === undefined || Number.isNaN(value) ? "–" : value < 10 ? value.toFixed(2) : value.toFixed(0)).padStart(9);
  console.log(`\nmilliseconds${" ".repeat(24)}${sizes.map((size) => `${size} messages`.padStart(19)).join("")}`);
  console.log(" ".repeat(36) + sizes.map(() => "     cold     warm").join(" "));
  for (const { name, note, cold, warm } of rows) {
    console.log(`${name.padEnd(35) + sizes.map((_, i) => ` ${cell(cold[i])}${cell(warm[i])}`).join("")}   ${note}`);
  }
}
