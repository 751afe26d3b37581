// How long counting and truncating take, on fresh messages and with a counter that has seen nothing: `npm run bench -w packages/core -- limits`.
import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { countTokens, foldSync, presets } from "../src/index.ts";
import { TiktokenCounter } from "../src/tokens.ts";

const chat = toOpenaiChat(longDraft({ turns: 34, seed: 3, toolShare: 0.5, maxMessages: 100 }));
const drop = { ...presets.agent, name: "drop", replace: "nothing", rungs: ["fold-middle", "shorten-tail"] } as const;
const options = { model: "gpt-4o", window: 128_000, maxOutputTokens: 4_000, budget: 4_000, preset: drop } as const;
// The rank table is loaded once per program, by the first count.
countTokens(chat.slice(0, 1), { model: "gpt-4o" });

/** The median of fifteen runs, each on messages of its own. */
function median(run: (messages: typeof chat, counter: TiktokenCounter) => void, messages: typeof chat): number {
  const times = Array.from({ length: 15 }, () => {
    const fresh = structuredClone(messages);
    const counter = new TiktokenCounter("gpt-4o");
    const start = performance.now();
    run(fresh, counter);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[7]!;
}
const countOf = (messages: typeof chat, counter: TiktokenCounter) => countTokens(messages, { counter });

const figures = [
  {
    what: "one message counted, the slowest of 100",
    limit: 10,
    ms: Math.max(...chat.map((message) => median(countOf, [message]))),
  },
  {
    what: "100 messages truncated",
    limit: 50,
    ms: median((messages, counter) => {
      const { outcome } = foldSync(messages, { ...options, counter });
      if (outcome !== "folded") throw new Error(`nothing was truncated: ${outcome}`);
    }, chat),
  },
];
for (const { what, limit, ms } of figures) {
  console.log(`${what.padEnd(44)}${ms.toFixed(2).padStart(8)} ms   ${ms < limit ? "under" : "MISSED"} ${limit} ms`);
}
console.log(`RESULT ${JSON.stringify({ bench: "limits", messages: chat.length, figures })}`);
process.exitCode = figures.every(({ ms, limit }) => ms < limit) ? 0 : 1;
