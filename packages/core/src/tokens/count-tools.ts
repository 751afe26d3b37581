import type { ToolDefinition } from "../message/message.ts";
import type { ChatOverhead } from "./families/family.ts";
import { toJsonText } from "./to-json-text.ts";

/** The tokens of the tools offered with a request. */
export function countTools(
  tools: readonly ToolDefinition[],
  rules: { readonly count: (text: string) => number; readonly overhead: ChatOverhead },
): number {
  if (tools.length === 0) return 0;
  let tokens = rules.overhead.perToolList;
  for (const tool of tools) {
    tokens += rules.overhead.perTool + rules.count(tool.name);
    if (tool.description !== undefined) tokens += rules.count(tool.description);
    if (tool.schema !== undefined) tokens += rules.count(toJsonText(tool.schema));
    // A hosted tool has nothing but its wire object.
    else if (tool.description === undefined && tool.source !== undefined)
      tokens += rules.count(toJsonText(tool.source));
  }
  return tokens;
}
