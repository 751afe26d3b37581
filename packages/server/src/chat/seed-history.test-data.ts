import { getCounter } from "@midfold/core";
import type { Session } from "../api/session.ts";
import type { Harness } from "./chat-harness.test-data.ts";

const counter = getCounter("gpt-4o");

/** Text that weighs exactly this much as one message of gpt-4o, with a mark that tells it from others. */
export function wordsOf(tokens: number, mark: string, role: "user" | "assistant" = "user"): string {
  const weigh = (text: string) => counter.countMessage({ role, parts: [{ type: "text", text }] });
  // Every further " garden" is one token.
  const text = mark + " garden".repeat(Math.max(0, tokens - weigh(mark)));
  if (weigh(text) !== tokens) throw new Error(`cannot write ${tokens} tokens`);
  return text;
}

/** A session whose messages weigh exactly this much, user and assistant in turn. */
export async function seedHistory(
  chat: Harness,
  sizes: readonly number[],
  options: { readonly model?: string; readonly system?: string } = {},
): Promise<Session> {
  const messages = sizes.map((tokens, index) => {
    const role = index % 2 === 0 ? ("user" as const) : ("assistant" as const);
    return { role, content: wordsOf(tokens, `Note ${index}:`, role) };
  });
  const system = options.system === undefined ? [] : [{ role: "system", content: options.system }];
  const { session } = await chat.call("importSession", {
    body: {
      content: JSON.stringify([...system, ...messages]),
      format: "openai-chat",
      title: "Seeded",
      takeSystem: true,
      ...(options.model === undefined ? {} : { model: options.model }),
    },
  });
  return session;
}

interface SentMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[] | null;
}

/** The messages of the last request that was not for a summary, as role and words. */
export function lastSent(chat: Harness): readonly { readonly role: string; readonly text: string }[] {
  const isForSummaryOrTitle = (text: string) => text.includes("<transcript id=") || text.includes("Write its title");
  return messagesOf(chat, (text) => !isForSummaryOrTitle(text)).map(({ role, content }) => ({
    role,
    text: typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n"),
  }));
}

/** The prompt of the last summary that was asked for. */
export function lastPrompt(chat: Harness): string {
  const content = messagesOf(chat, (text) => text.includes("<transcript id=")).at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");
}

function messagesOf(chat: Harness, wanted: (body: string) => boolean): readonly SentMessage[] {
  const request = chat.upstream.requests.findLast(({ raw }) => wanted(raw.toString()));
  return (request?.body as { readonly messages: readonly SentMessage[] } | undefined)?.messages ?? [];
}
