// ContextManager: add messages as they come, ask for what fits. Run: node examples/context-manager.ts
import { getCounter } from "@midfold/core";
import { ContextManager, TruncationMode } from "@midfold/core/compat";
import { createExtractiveSummarizer } from "@midfold/core/summaries";

const manager = new ContextManager("gpt-4", TruncationMode.SUMMARIZE, createExtractiveSummarizer(getCounter("gpt-4")));
manager.setSystemPrompt("You are a librarian.");
for (let turn = 0; turn < 120; turn++) {
  manager.addMessage({ role: "user", content: `Where is book ${turn}? I must have it by Friday.` });
  manager.addMessage({
    role: "assistant",
    content: `Book ${turn} is on shelf ${turn % 12}. ${"It is a fine book. ".repeat(15)}`,
  });
  await manager.compactIfNeeded();
}
manager.addMessage({ role: "user", content: "And the first one?" });

const context = manager.getContextForRequest();
console.log(
  `${manager.history.length} messages kept, ${context.length} sent, ${manager.tokenUsage} tokens, ${manager.availableTokens} free`,
);
