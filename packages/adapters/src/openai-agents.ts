import type { AgentInputItem, CallModelInputFilter, Session } from "@openai/agents";
import { createFoldRequest, foldThrough, type MidfoldOptions, type Spelling } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

/**
 * A session whose history always fits: the run gets the folded items, `inner` keeps all of them.
 *
 * @example await run(agent, "…", { session: midfoldSession(new MemorySession(), { model: "gpt-5" }) });
 */
export function midfoldSession(inner: Session, options: MidfoldOptions = {}): Session {
  const foldItems = foldThrough(createFoldRequest(options), spelling);
  return {
    getSessionId: () => inner.getSessionId(),
    getItems: async (limit) => foldItems(await inner.getItems(limit), {}),
    addItems: (items) => inner.addItems(items),
    popItem: () => inner.popItem(),
    clearSession: () => inner.clearSession(),
  };
}

/**
 * A `callModelInputFilter`: what goes to the model fits at every turn of a run, long tool loops included.
 *
 * @example await run(agent, "…", { callModelInputFilter: midfoldFilter({ model: "gpt-5" }) });
 */
export function midfoldFilter(options: MidfoldOptions = {}): CallModelInputFilter {
  const foldItems = foldThrough(createFoldRequest(options), spelling);
  return async ({ modelData, agent }) => {
    const { input, instructions } = modelData;
    const model = typeof agent.model === "string" && agent.model !== "" ? agent.model : undefined;
    const tools = agent.tools.filter((tool) => tool.type === "function");
    return { ...modelData, input: await foldItems(input, { model, system: instructions, tools }) };
  };
}

interface Item {
  readonly type?: string;
  readonly callId?: string;
  readonly output?: unknown;
  readonly status?: string;
}

/** Items of the Agents SDK are Responses items with other names for a call's id and its result. */
const spelling: Spelling<AgentInputItem> = {
  format: "openai-responses",
  write(item) {
    const { callId, ...rest } = item as Item;
    if (callId === undefined) return item;
    if (rest.type !== "function_call_result") return { ...rest, call_id: callId };
    return { ...rest, type: "function_call_output", call_id: callId, output: outputOf(rest.output) };
  },
  read(wire, before) {
    const { call_id, ...rest } = wire as Item & { readonly call_id?: string };
    if (call_id === undefined) return asAnswer(rest) as AgentInputItem;
    if (rest.type !== "function_call_output") return { ...rest, callId: call_id } as AgentInputItem;
    const { name } = (before ?? {}) as { readonly name?: string };
    return {
      name: name ?? "",
      status: "completed",
      ...rest,
      type: "function_call_result",
      callId: call_id,
    } as AgentInputItem;
  },
};

/** Messages of the model need a status and a list of blocks here: the SDK fails on a plain text. */
function asAnswer(item: Item): Item {
  const { role, content } = item as { readonly role?: string; readonly content?: unknown };
  if (role !== "assistant") return item;
  const blocks = typeof content === "string" ? { content: [{ type: "output_text", text: content }] } : {};
  return { status: "completed", ...item, ...blocks };
}

/** A result is a text, one block or a list of blocks. */
function outputOf(output: unknown): unknown {
  if (typeof output === "string" || Array.isArray(output)) return output;
  const { type, text } = (output ?? {}) as { readonly type?: string; readonly text?: string };
  return type === "text" ? (text ?? "") : [output];
}
