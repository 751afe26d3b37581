// The context service with its state in a database. Run: node examples/context-service.ts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContextService, sandwichStrategy } from "@midfold/core/compat";
import { openStore } from "@midfold/store";

const folder = await mkdtemp(join(tmpdir(), "midfold-"));
const store = await openStore({ url: `sqlite:${join(folder, "example.db")}` });
const states = store.of("me").contextStates;

let asked = 0;
const model = {
  name: "demo",
  summarize: async () => {
    asked++;
    return { text: "They planned the garden: 12 beds, the pond in the north.", finish: "complete" as const };
  },
};
const service = createContextService({ strategy: sandwichStrategy(), states, model });

const messages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Garden talk, part ${index}. ${"Beds, paths and a pond. ".repeat(20)}`,
}));
const first = await service.buildContext("garden", messages, 4_000);
const again = await service.buildContext("garden", messages, 4_000);
const range = (await states.get("garden"))?.summaryRange.join(" to ");
console.log(`${first.messages.length} of 40 sent, ${first.tokensUsed} tokens; stored: messages ${range}`);
console.log(
  `second request: the model was asked ${asked} time, the same messages: ${JSON.stringify(first.messages) === JSON.stringify(again.messages)}`,
);

await service.forget("garden");
console.log(`after deleting the conversation: ${(await states.get("garden")) ?? "no state"}`);
await store.close();
await rm(folder, { recursive: true });
