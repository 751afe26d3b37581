import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Message, MidfoldError, type ToolDefinition } from "@midfold/core";
import { protocols } from "@midfold/wire";
import type { CliContext } from "../context.ts";

/** A conversation from a file: a bare list of messages, or a whole request body of one of the protocols. */
export interface ReadConversation {
  readonly messages: readonly unknown[];
  /** What travels beside the list in a request body. */
  readonly system: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly model: string | undefined;
  /** Puts another list in the place of the one that was read. */
  readonly withMessages: (messages: readonly unknown[]) => unknown;
}

export async function readConversation(context: CliContext, file: string | undefined): Promise<ReadConversation> {
  const source = file === undefined || file === "-" ? await text(context.stdin) : readText(file);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (cause) {
    throw new MidfoldError("VALIDATION_ERROR", `${file ?? "Standard input"} is not valid JSON.`, { cause });
  }
  if (Array.isArray(value)) {
    return { messages: value, system: [], tools: [], model: undefined, withMessages: (messages) => messages };
  }
  if (typeof value === "object" && value !== null) return readBody(value as Record<string, unknown>);
  throw new MidfoldError("VALIDATION_ERROR", "Expected a list of messages, or a request body with one.");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new MidfoldError("VALIDATION_ERROR", `Cannot read ${file}.`, { cause });
  }
}

function readBody(body: Record<string, unknown>): ReadConversation {
  const protocol = Object.values(protocols).find(({ body: access }) => {
    const { messages, system } = access.fields;
    return messages in body && (system === undefined || system in body || access.messagesOf(body).length > 0);
  });
  if (protocol === undefined) {
    throw new MidfoldError("VALIDATION_ERROR", "Expected a list of messages, or a request body with one.");
  }
  const access = protocol.body;
  const model = body[access.fields.model];
  return {
    messages: access.messagesOf(body),
    system: access.systemOf(body),
    tools: access.toolsOf(body),
    model: typeof model === "string" ? model : undefined,
    withMessages: (messages: readonly unknown[]) => access.withMessages(body, messages),
  };
}
