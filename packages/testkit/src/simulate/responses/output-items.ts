import { sealThought } from "../../generate/sign-thought.ts";
import type { JsonObject } from "../json.ts";
import type { AnswerContext } from "../protocol.ts";
import type { Reply } from "../reply.ts";
import { slices } from "../slices.ts";

/** An output item as it begins, as it ends, and what is streamed in between. */
export interface OutputItem {
  readonly start: JsonObject;
  readonly whole: JsonObject;
  readonly text: string;
  readonly deltas: readonly string[];
  /** The part within the item that the text belongs to. */
  readonly part?: {
    readonly name: string;
    readonly text: string;
    readonly indexField: string;
    readonly start: JsonObject;
    readonly whole: JsonObject;
    readonly extra: JsonObject;
  };
  /** The event and field that carry a call's input. */
  readonly inputEvent?: { readonly name: string; readonly field: string };
}

export function outputItems(reply: Reply, context: AnswerContext): OutputItem[] {
  const chars = reply.stream?.deltaChars ?? 24;
  const thoughts = (reply.thoughts ?? []).map((thought, place) =>
    reasoningItem(thought, `rs_${context.id}_${place}`, chars),
  );
  const items = [...thoughts];
  if ((reply.text ?? "") !== "" || (thoughts.length === 0 && (reply.calls ?? []).length === 0)) {
    items.push(messageItem(reply.text ?? "", `msg_${context.id}`, chars));
  }
  const reasoningIds = thoughts.map(({ whole }) => String(whole.id));
  for (const [place, call] of (reply.calls ?? []).entries()) {
    const callId = call.id ?? `call_${context.id}_${place}`;
    context.memory.thoughtsByCall.set(callId, reasoningIds);
    const text = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
    const custom = call.custom === true;
    const field = custom ? "input" : "arguments";
    const type = custom ? "custom_tool_call" : "function_call";
    const base = { type, id: `${custom ? "ctc" : "fc"}_${context.id}_${place}`, call_id: callId, name: call.name };
    items.push({
      start: { ...base, [field]: "", status: "in_progress" },
      whole: { ...base, [field]: text, status: "completed" },
      text,
      deltas: slices(text, chars),
      inputEvent: { name: custom ? "custom_tool_call_input" : "function_call_arguments", field },
    });
  }
  return items;
}

function reasoningItem(
  thought: { readonly text: string } | { readonly opaque: string },
  id: string,
  chars: number,
): OutputItem {
  if ("opaque" in thought) {
    const whole = { type: "reasoning", id, summary: [], encrypted_content: thought.opaque };
    return { start: whole, whole, text: "", deltas: [] };
  }
  const part = { type: "summary_text", text: thought.text };
  return {
    start: { type: "reasoning", id, summary: [], encrypted_content: "" },
    whole: { type: "reasoning", id, summary: [part], encrypted_content: sealThought(thought.text) },
    text: thought.text,
    deltas: slices(thought.text, chars),
    part: {
      name: "reasoning_summary_part",
      text: "reasoning_summary_text",
      indexField: "summary_index",
      start: { ...part, text: "" },
      whole: part,
      extra: {},
    },
  };
}

function messageItem(text: string, id: string, chars: number): OutputItem {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const base = { type: "message", id, role: "assistant" };
  return {
    start: { ...base, status: "in_progress", content: [] },
    whole: { ...base, status: "completed", content: [part] },
    text,
    deltas: slices(text, chars),
    part: {
      name: "content_part",
      text: "output_text",
      indexField: "content_index",
      start: { ...part, text: "" },
      whole: part,
      extra: { logprobs: [] },
    },
  };
}
