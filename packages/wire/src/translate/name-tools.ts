import type { Message } from "@midfold/core";
import type { NeutralTool } from "../neutral/neutral-request.ts";
import type { ClientTool, ToolNames } from "../neutral/protocol.ts";
import { fitName, type NameRule } from "./fit-name.ts";

/** Gives every tool, offered now or called earlier, a name the upstream accepts. */
export function nameTools(tools: readonly NeutralTool[], messages: readonly Message[], rule: NameRule): ToolNames {
  const toUpstream = new Map<string, string>();
  const toClient = new Map<string, ClientTool>();
  for (const tool of tools) {
    if (tool.kind === "hosted") continue;
    const name = fitName(tool.name, rule);
    toUpstream.set(tool.name, name);
    toClient.set(name, { name: tool.name, custom: tool.kind === "custom" });
  }
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== "tool-call" || toUpstream.has(part.name)) continue;
      toUpstream.set(part.name, fitName(part.name, rule));
    }
  }
  return { toUpstream, toClient };
}
