import { getCounter } from "@midfold/core";
import { checkSources } from "@midfold/core/chat";
import { createExtractiveSummarizer } from "@midfold/core/summaries";
import { expect, it } from "vitest";
import { exampleConversation } from "./example-conversation.ts";

it.each(["en", "zh"] as const)(
  "the built-in summary of the example (%s) says nothing that nobody said",
  async (language) => {
    const counter = getCounter("gpt-4o");
    const { messages } = exampleConversation(language);
    const dated = messages.map((message) => ({ ...message, at: "2026-11-16T12:00:00" }));
    for (const count of [8, 24, messages.length]) {
      for (const maxTokens of [200, 500, 850, 1500]) {
        const folded = dated.slice(0, count);
        const { text } = await createExtractiveSummarizer(counter).summarize({
          messages: folded,
          maxTokens,
          prompt: "",
        });
        const { invented } = checkSources(text, folded);
        expect(invented.map(({ start, end }) => text.slice(start, end))).toEqual([]);
      }
    }
  },
);
