import { isJsonObject, textField } from "../protocols/json-object.ts";
import type { NeutralRequest, NeutralTool } from "../protocols/neutral-request.ts";
import type { ToolNames } from "../protocols/protocol.ts";
import type { UpstreamTraits } from "../traits/upstream-traits.ts";
import { fitSchema } from "./fit-schema.ts";
import { visibleTools } from "./visible-tools.ts";

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
  const holder = isJsonObject(tool.source.custom) ? tool.source.custom : tool.source;
  const format = isJsonObject(holder.format) ? holder.format : undefined;
  const inner = isJsonObject(format?.grammar) ? format.grammar : format;
  const definition = textField(inner?.definition);
  if (definition === undefined) return tool.description;
  const rule = `The input must match this ${textField(inner?.syntax) ?? ""} grammar:\n${definition}`;
  return tool.description === undefined ? rule : `${tool.description}\n\n${rule}`;
}
