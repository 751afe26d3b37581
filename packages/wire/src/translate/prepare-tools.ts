import type { Message, Part } from "@midfold/core";
import { isJsonObject, textField } from "../neutral/json-object.ts";
import type { NeutralRequest, NeutralTool } from "../neutral/neutral-request.ts";
import type { ToolNames } from "../neutral/protocol.ts";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";
import { fitSchema } from "./fit-schema.ts";

/** A tool as any protocol offers it. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly schema: unknown;
  readonly strict?: boolean;
  readonly custom: boolean;
}

/** A free-text tool seen as a function: its one argument is the text. */
const textSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** The tools to offer upstream, under their upstream names. Tools of another provider are dropped, never forwarded. */
export function prepareTools(
  request: NeutralRequest,
  names: ToolNames,
  traits: UpstreamTraits,
  drop: (what: string) => void,
): OfferedTool[] {
  for (const tool of request.tools) if (tool.kind === "hosted") drop(`tool:${tool.name}`);
  return visibleTools(request.tools, request.messages).map((tool) => {
    const name = names.toUpstream.get(tool.name) ?? tool.name;
    const description = describe(tool);
    const described = description === undefined ? {} : { description };
    if (tool.kind === "custom") {
      return { name, ...described, schema: fitSchema(textSchema, traits.schema), custom: true };
    }
    const strict = tool.strict === true ? { strict: true } : {};
    return { name, ...described, ...strict, schema: fitSchema(tool.schema, traits.schema), custom: false };
  });
}

function describe(tool: NeutralTool): string | undefined {
  if (tool.kind !== "custom" || !isJsonObject(tool.source)) return tool.description;
  const custom = isJsonObject(tool.source.custom) ? tool.source.custom : tool.source;
  const format = isJsonObject(custom.format) ? custom.format : undefined;
  const inner = isJsonObject(format?.grammar) ? format.grammar : format;
  const definition = textField(inner?.definition);
  if (definition === undefined) return tool.description;
  const rule = `The input must match this ${textField(inner?.syntax) ?? ""} grammar:\n${definition}`;
  return tool.description === undefined ? rule : `${tool.description}\n\n${rule}`;
}

/**
 * The tools an upstream without deferred loading is offered: a deferred tool appears once a search result referred to
 * it or the model called it. Where the provider itself was to search, nothing else would ever reveal them, so all show.
 */
function visibleTools(tools: readonly NeutralTool[], messages: readonly Message[]): NeutralTool[] {
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
