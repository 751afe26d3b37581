import type { Message, Part } from "@midfold/core";
import { isJsonObject } from "../protocols/json-object.ts";
import type { NeutralTool } from "../protocols/neutral-request.ts";

/**
 * The tools an upstream without deferred loading is offered: a deferred tool appears once a search result referred to
 * it or the model called it. Where the provider itself was to search, nothing else would ever reveal them, so all show.
 */
export function visibleTools(tools: readonly NeutralTool[], messages: readonly Message[]): NeutralTool[] {
  const offered = tools.filter((tool) => tool.kind !== "hosted");
  if (!offered.some((tool) => tool.deferred === true)) return offered;
  if (tools.some((tool) => tool.kind === "hosted" && tool.name.startsWith("tool_search"))) return offered;
  const known = new Set<string>();
  for (const message of messages) {
    for (const part of message.parts) noteReferences(part, known);
  }
  return offered.filter((tool) => tool.deferred !== true || known.has(tool.name));
}

function noteReferences(part: Part, known: Set<string>): void {
  if (part.type === "tool-call") known.add(part.name);
  if (part.type === "tool-result") for (const content of part.content) noteReferences(content, known);
  if (part.type !== "other" || !isJsonObject(part.value)) return;
  if (typeof part.value.tool_name === "string") known.add(part.value.tool_name);
  // Some tool results nest the references one level deeper.
  const nested = part.value.tool_references;
  if (!Array.isArray(nested)) return;
  for (const reference of nested) {
    if (isJsonObject(reference) && typeof reference.tool_name === "string") known.add(reference.tool_name);
  }
}
