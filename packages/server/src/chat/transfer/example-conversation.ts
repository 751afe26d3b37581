import type { Message } from "@midfold/core";
import { exampleChinese } from "./example-chinese.ts";
import { exampleEnglish } from "./example-english.ts";

export interface Example {
  readonly title: string;
  /** User and assistant take turns, the user first. */
  readonly lines: readonly string[];
}

const examples = { en: exampleEnglish, zh: exampleChinese } as const;

/** A conversation long enough that the next message makes the demo model's window overflow, so a newcomer sees a fold. */
export function exampleConversation(language: keyof typeof examples): {
  readonly title: string;
  readonly messages: readonly Message[];
} {
  const { title, lines } = examples[language];
  return {
    title,
    messages: lines.map((text, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text }],
    })),
  };
}
