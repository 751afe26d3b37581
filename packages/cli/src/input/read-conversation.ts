import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import {
  detectFormat,
  type FormatName,
  formats,
  type Message,
  MidfoldError,
  readTranscript,
  type ToolChoice,
  type ToolDefinition,
  type Transcript,
} from "@midfold/core";
import { protocols } from "@midfold/wire";
import type { CliContext } from "../context.ts";

/**
 * A conversation from a file: a bare list of messages, a whole request body of one of the protocols, or a transcript as
 * agents and chat apps save it.
 */
export interface ReadConversation {
  readonly messages: readonly unknown[];
  /** The messages' format, where the kind of file says it. */
  readonly format?: FormatName;
  /** What travels beside the list in a request body. */
  readonly system: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly model: string | undefined;
  /** Puts another list in the place of the one that was read. */
  readonly withMessages: (messages: readonly unknown[]) => unknown;
}

export async function readConversation(context: CliContext, file: string | undefined): Promise<ReadConversation> {
  const source = file === undefined || file === "-" ? await text(context.stdin) : readText(file);
  const { value, problem } = parse(source);
  if (Array.isArray(value) && (value.length === 0 || isMessageList(value))) {
    return { messages: value, system: [], tools: [], model: undefined, withMessages: (messages) => messages };
  }
  const body = typeof value === "object" && value !== null ? readBody(value as Record<string, unknown>) : undefined;
  if (body !== undefined) return body;
  const looksLikeJson = /^\s*[[{]/.test(source);
  try {
    return fromTranscript(readTranscript(source));
  } catch (cause) {
    // Somebody who meant to give JSON is helped by what is wrong with it.
    if (problem === undefined || !looksLikeJson) throw cause;
    throw new MidfoldError("VALIDATION_ERROR", `${file ?? "Standard input"} is not valid JSON: ${problem}`, { cause });
  }
}

function parse(source: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(source) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function isMessageList(value: readonly unknown[]): boolean {
  try {
    detectFormat(value);
    return true;
  } catch {
    return false;
  }
}

function fromTranscript({ messages, dialect, system, model }: Transcript): ReadConversation {
  const format = formats[dialect];
  return {
    messages: messages.map((message) => message.source ?? format.encode(message)),
    format: dialect,
    system: system === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: system }] }],
    tools: [],
    model,
    withMessages: (folded) => folded,
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new MidfoldError("VALIDATION_ERROR", `Cannot read ${file}: ${why}.`, { cause });
  }
}

function readBody(body: Record<string, unknown>): ReadConversation | undefined {
  const protocol = Object.values(protocols).find(({ body: access }) => {
    const { messages, system } = access.fields;
    return messages in body && (system === undefined || system in body || access.messagesOf(body).length > 0);
  });
  if (protocol === undefined) return undefined;
  const access = protocol.body;
  const model = body[access.fields.model];
  return {
    messages: access.messagesOf(body),
    system: access.systemOf(body),
    tools: access.toolsOf(body),
    toolChoice: access.toolChoiceOf(body),
    model: typeof model === "string" ? model : undefined,
    withMessages: (messages: readonly unknown[]) => access.withMessages(body, messages),
  };
}
