import { installPeers } from "../../packages/core/bench/install-peers.ts";
import { newest } from "./baselines.ts";
import type { Contestant, Task } from "./contestants.ts";
import {
  type ChatMessage,
  contentOf,
  countMessage,
  countMessages,
  countText,
  flatText,
  unitsOf,
} from "./conversation.ts";

export const peerNames = [
  "AI SDK prune",
  "LangChain trim",
  "LangChain summary",
  "context-chef",
  "Mastra limiter",
] as const;

export const peersFolder = "../../../bench/fidelity/peers";

/** A message as LangChain has it; `id` is our place in the conversation. */
interface LangMessage {
  readonly id?: string;
  readonly content: unknown;
}

/** A message as the AI SDK and Mastra have it. */
interface SdkMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: readonly SdkPart[];
}

type SdkPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: { readonly type: "text"; readonly value: string };
    };

/**
 * The libraries people use for this, called as their documentation shows. One that only estimates tokens gets smaller and
 * smaller limits until its answer fits the exact budget; one that has no budget gets its strongest setting that fits, and
 * a plain window where none does. Where a model would write a summary, a stub quotes the beginning of what it was given.
 */
export async function loadPeers(): Promise<Contestant[]> {
  const peers = await installPeers(peersFolder);
  const { pruneMessages } = await peers.load("ai");
  const { trimMessages, HumanMessage, AIMessage, ToolMessage } = await peers.load("@langchain/core/messages");
  const { FakeListChatModel } = await peers.load("@langchain/core/utils/testing");
  const { summarizationMiddleware } = await peers.load("langchain");
  const { Janitor } = await peers.load("@context-chef/core");
  const { TokenLimiterProcessor } = await peers.load("@mastra/core/processors");

  const toLang = (messages: readonly ChatMessage[]): LangMessage[] =>
    messages.map((message, index) => {
      const content = contentOf(message);
      const id = String(index);
      if (message.role === "user") return new HumanMessage({ content, id });
      if (message.role === "tool") return new ToolMessage({ content, id, tool_call_id: message.tool_call_id });
      const tool_calls = (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        args: objectOf(call.function.arguments),
      }));
      return new AIMessage({ content, id, tool_calls });
    });
  const exactly = (messages: readonly ChatMessage[]) => (list: readonly LangMessage[]) =>
    list.reduce((sum, { id, content }) => {
      const ours = messages[Number(id)];
      return sum + (ours === undefined ? 4 + countText(String(content)) : countMessage(ours));
    }, 0);

  const prune = async ({ messages, budget }: Task): Promise<ChatMessage[]> => {
    const sdk = toSdk(messages);
    for (const keep of [50, 30, 20, 10, 6, 2]) {
      const pruned = fromSdk(pruneMessages({ messages: sdk, toolCalls: `before-last-${keep}-messages` }), messages);
      if (countMessages(pruned) <= budget) return pruned;
    }
    return newest(unitsOf(fromSdk(pruneMessages({ messages: sdk, toolCalls: "all" }), messages)), budget);
  };

  const trim = async ({ messages, budget }: Task): Promise<ChatMessage[]> => {
    const kept: LangMessage[] = await trimMessages(toLang(messages), {
      maxTokens: budget,
      tokenCounter: exactly(messages),
      strategy: "last",
      startOn: ["human", "ai"],
    });
    return kept.map(({ id }) => messages[Number(id)]!);
  };

  const summarize = async ({ messages, budget }: Task): Promise<ChatMessage[]> => {
    const quoted = quoteStart(messages, Math.floor(budget * 0.3));
    const middleware = summarizationMiddleware({
      model: new FakeListChatModel({ responses: [quoted] }),
      trigger: { tokens: budget },
      keep: { tokens: Math.floor(budget * 0.6) },
      tokenCounter: exactly(messages),
    });
    const hook = middleware.beforeModel.hook ?? middleware.beforeModel;
    const result: { messages: LangMessage[] } = await hook({ messages: toLang(messages) }, { context: {} });
    const [, summary, ...kept] = result.messages;
    return [{ role: "user", content: String(summary?.content) }, ...kept.map(({ id }) => messages[Number(id)]!)];
  };

  const chef = async ({ messages, budget }: Task): Promise<ChatMessage[]> => {
    const janitor = new Janitor({
      contextWindow: budget,
      triggerRatio: 1,
      preserveRatio: 0.6,
      tokenizer: (list: ChatMessage[]) => countMessages(list),
      compressionModel: async (list: ChatMessage[]) => quoteStart(list, Math.floor(budget * 0.3)),
    });
    const history = messages.map((message) => ({ ...message, content: message.content ?? "" }));
    return janitor.compress(history);
  };

  const limit = async ({ messages, budget }: Task): Promise<ChatMessage[]> => {
    const prompt = toSdk(messages);
    for (let share = 1.2; ; share *= 0.9) {
      const limiter = new TokenLimiterProcessor({ limit: Math.floor(budget * share) });
      const { prompt: kept = prompt } = (await limiter.processLLMRequest({ prompt })) ?? {};
      const ours = fromSdk(kept, messages);
      if (countMessages(ours) <= budget) return ours;
    }
  };

  const runs = [prune, trim, summarize, chef, limit];
  return peerNames.map((name, index) => ({ name, kind: "peer", run: runs[index]! }));
}

/** What a summarizer that cannot write would say: the beginning of each message, oldest first. */
function quoteStart(messages: readonly ChatMessage[], tokens: number): string {
  const lines: string[] = [];
  let spent = 0;
  for (const message of messages) {
    const line = flatText(message).slice(0, 120);
    spent += countText(line) + 1;
    if (spent > tokens) break;
    lines.push(line);
  }
  return lines.length === 0 ? "Earlier messages." : lines.join("\n");
}

function objectOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : { value };
  } catch {
    return { value: json };
  }
}

function toSdk(messages: readonly ChatMessage[]): SdkMessage[] {
  const names = new Map<string, string>();
  return messages.map((message): SdkMessage => {
    const text = contentOf(message);
    if (message.role === "tool") {
      const toolCallId = message.tool_call_id ?? "";
      const toolName = names.get(toolCallId) ?? "tool";
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }],
      };
    }
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
      names.set(id, name);
      return { type: "tool-call", toolCallId: id, toolName: name, input: objectOf(input) } as const;
    });
    const said = text === "" ? [] : [{ type: "text", text } as const];
    return { role: message.role === "user" ? "user" : "assistant", content: [...said, ...calls] };
  });
}

/** Back to what was sent: our own calls and results by their ids, so that arguments are as they were. */
function fromSdk(kept: readonly SdkMessage[], messages: readonly ChatMessage[]): ChatMessage[] {
  const calls = new Map(messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call])));
  return kept.flatMap(({ role, content }): ChatMessage[] => {
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    if (role === "tool") {
      return content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool", content: part.output.value, tool_call_id: part.toolCallId } as const]
          : [],
      );
    }
    if (role === "user") return [{ role, content: text }];
    const tool_calls = content.flatMap((part) => (part.type === "tool-call" ? [calls.get(part.toolCallId)!] : []));
    return [{ role, content: text, ...(tool_calls.length > 0 && { tool_calls }) }];
  });
}
