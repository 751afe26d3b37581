import type { Part } from "@midfold/core";
import type {
  ResponseCompactionItem,
  ResponseCustomToolCall,
  ResponseFunctionToolCallItem,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { isJsonObject, textField } from "../../neutral/json-object.ts";
import type { NeutralTool } from "../../neutral/neutral-request.ts";
import type { ReplyContext } from "../../neutral/protocol.ts";

/** Ids of items are the answer's own id with the item's place in it, so that they are the same on every attempt. */
export function itemId(prefix: "msg" | "fc" | "ctc" | "rs" | "cmp", reply: ReplyContext, place: number): string {
  return `${prefix}_${reply.id.slice(reply.id.indexOf("_") + 1)}_${place}`;
}

export function messageItem(id: string, text: string): ResponseOutputMessage {
  const content = [{ type: "output_text" as const, text, annotations: [], logprobs: [] }];
  return { id, type: "message", status: "completed", role: "assistant", content };
}

export function reasoningItem(id: string, text: string, opaque: string | undefined): ResponseReasoningItem {
  return {
    id,
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(opaque === undefined ? {} : { encrypted_content: opaque }),
  };
}

/** The item that stands for a conversation, when the part is one: what is in it only its writer can read. */
export function compactionItem(id: string, part: Part): ResponseCompactionItem | undefined {
  if (part.type !== "other" || part.kind !== "compaction" || !isJsonObject(part.value)) return undefined;
  const sealed = textField(part.value.encrypted_content);
  return sealed === undefined ? undefined : { id, type: "compaction", encrypted_content: sealed };
}

export interface ReplyCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly custom: boolean;
}

/** A call item; a tool that came in a namespace is called by its own name again. */
export function callItem(
  id: string,
  call: ReplyCall,
  tools: ReadonlyMap<string, NeutralTool>,
): ResponseFunctionToolCallItem | ResponseCustomToolCall {
  const namespace = tools.get(call.name)?.namespace;
  const name = namespace === undefined ? call.name : call.name.slice(namespace.length + 2);
  const named = namespace === undefined ? { name } : { name, namespace };
  if (call.custom) return { id, type: "custom_tool_call", call_id: call.id, ...named, input: call.input };
  return { id, type: "function_call", status: "completed", call_id: call.id, ...named, arguments: call.input || "{}" };
}

export function toolsByName(reply: ReplyContext): ReadonlyMap<string, NeutralTool> {
  return new Map((reply.request?.tools ?? []).map((tool) => [tool.name, tool]));
}

export type ReplyItem = ResponseOutputItem;
