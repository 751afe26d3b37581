import { readTools } from "../formats/read-tools.ts";
import type { ToolDefinition } from "../message/message.ts";
import type { ChatRule } from "./families/family.ts";
import { toJsonText } from "./to-json-text.ts";
import { toSignature } from "./to-signature.ts";
import type { ToolChoice } from "./tool-choice.ts";

interface Rules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
}

/** The tokens of the tools offered with a request. */
export function countTools(tools: readonly ToolDefinition[], { count, chat }: Rules): number {
  if (tools.length === 0) return 0;
  const rule = chat.tools;
  let tokens = rule.perList;
  // A caller without types may pass an SDK's tools straight to a counter.
  for (const tool of readTools(tools)) tokens += rule.perTool + count(show(tool, rule.shownAs));
  return tokens;
}

/** What a request's choice among its tools adds to them. */
export function countChoice(choice: ToolChoice | undefined, { count, chat }: Rules): number {
  const rule = chat.tools.choice;
  switch (choice?.type) {
    case "none":
      return rule.none;
    case "required":
      return rule.required;
    case "tool":
      return rule.named + (rule.countsName ? count(choice.name) : 0);
    default:
      return 0;
  }
}

function show(tool: ToolDefinition, as: ChatRule["tools"]["shownAs"]): string {
  // A tool of the provider's own has nothing but its wire object.
  if (tool.schema === undefined && tool.description === undefined && tool.source !== undefined) {
    return toJsonText(tool.source);
  }
  if (as === "typescript") return toSignature(tool);
  return toJsonText({ name: tool.name, description: tool.description, schema: tool.schema });
}
