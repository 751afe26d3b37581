import { type Message, MidfoldError, type TokenCounter } from "@midfold/core";
import { type ProtocolName, protocols } from "@midfold/wire";
import type { Breakdown, BreakdownPart } from "../api/console-schemas.ts";
import type { RequestRecord } from "../requests/request-record.ts";

/** How a client names the tools of an MCP server: `mcp__server__tool`. */
const mcpName = /^mcp__(.+?)__/;

/** What a captured request was made of: its system prompt, every tool, every message, each with its size. */
export function breakDown({ content, protocol }: RequestRecord, counter: TokenCounter): Breakdown {
  if (content === undefined || !Array.isArray(content.before)) return { captured: false, parts: [] };
  const messages = decode(protocol, content.before);
  const system = content.system ?? [];
  const tools = content.tools ?? [];
  const parts: BreakdownPart[] = [
    ...system.map((message) => ({
      kind: "system" as const,
      name: "System prompt",
      tokens: counter.countMessage(message),
    })),
    ...tools.map((tool) => {
      const server = mcpName.exec(tool.name)?.[1];
      return {
        kind: "tool" as const,
        name: tool.name,
        tokens: counter.countTools([tool]),
        ...(server === undefined ? {} : { server }),
      };
    }),
    ...messages.map((message, index) => ({
      kind: message.role === "system" ? ("system" as const) : ("message" as const),
      name: message.role === "system" ? "System prompt" : message.role,
      tokens: counter.countMessage(message),
      index,
      mayLeaveOut: mayLeaveOut(messages, index),
    })),
  ];
  return { captured: true, parts };
}

export function decode(protocol: string, messages: readonly unknown[]): readonly Message[] {
  const known = protocols[protocol as ProtocolName];
  if (known === undefined) throw new MidfoldError("NOT_FOUND", `Requests of ${protocol} cannot be read here.`);
  return known.format.decode(messages);
}

const plainParts = new Set(["text", "image", "file"]);

/**
 * Whether the rest is still a valid conversation without this message: it is not the system prompt, the first or the
 * last message, part of a tool call, or the result of a reasoning item.
 */
export function mayLeaveOut(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  if (message === undefined || index === 0 || index === messages.length - 1) return false;
  if (message.role !== "user" && message.role !== "assistant") return false;
  const before = messages[index - 1];
  const afterReasoning = before?.role === "assistant" && before.parts.some(({ type }) => type === "reasoning");
  return !afterReasoning && message.parts.every(({ type }) => plainParts.has(type));
}
