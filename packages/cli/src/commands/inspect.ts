import { type Message, textOf } from "@midfold/core";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { countMessages } from "../input/count-messages.ts";
import { addConversationFlags, type ConversationFlags, modelOf } from "../input/fold-flags.ts";
import { wholeNumber } from "../input/numbers.ts";
import { readConversation } from "../input/read-conversation.ts";

interface InspectFlags extends ConversationFlags {
  readonly top: number;
}

export function define(command: Command, context: CommandContext): void {
  addConversationFlags(command)
    .option("-n, --top <count>", "how many of the largest messages to list", wholeNumber, 8)
    .action(async (file: string | undefined, flags: InspectFlags) => {
      const conversation = await readConversation(context, file, flags);
      const { name: model, info } = modelOf(context, flags, conversation);
      const { format, messages, weights, counter } = await countMessages(context, conversation, model, flags.format);
      const roles = new Map<string, { count: number; tokens: number }>();
      const add = (role: string, tokens: number) => {
        const row = roles.get(role) ?? { count: 0, tokens: 0 };
        roles.set(role, { count: row.count + 1, tokens: row.tokens + tokens });
      };
      for (const message of conversation.system) add("system", counter.countMessage(message));
      for (const [index, message] of messages.entries()) add(message.role, weights[index] ?? 0);
      if (conversation.tools.length > 0)
        add("tool definitions", counter.countTools(conversation.tools, conversation.toolChoice));
      const whole = counter.countMessages([...conversation.system, ...messages]);
      const parts = [...conversation.system.map((message) => counter.countMessage(message)), ...weights];
      const around = whole - parts.reduce((sum, weight) => sum + weight, 0);
      if (around > 0) add("around the messages", around);
      const tokens = [...roles.values()].reduce((sum, row) => sum + row.tokens, 0);
      const largest = weights
        .map((weight, index) => ({
          index,
          role: messages[index]?.role ?? "",
          tokens: weight,
          text: excerpt(messages[index]),
        }))
        .sort((a, b) => b.tokens - a.tokens)
        .slice(0, flags.top);
      if (flags.json === true) {
        const figures = { format: format.name, model, messages: messages.length, tokens, window: info.window };
        context.write(`${JSON.stringify({ ...figures, roles: Object.fromEntries(roles), largest })}\n`);
        return;
      }
      const share = `${((100 * tokens) / info.window).toFixed(1)}% of ${model}'s ${info.window}`;
      const lines = [`${format.name}, ${messages.length} messages, ${tokens} tokens, ${share}`];
      for (const [role, row] of roles)
        lines.push(`  ${role.padEnd(19)} ${String(row.count).padStart(5)}  ${String(row.tokens).padStart(9)} tokens`);
      lines.push("largest:");
      for (const { index, role, tokens: weight, text } of largest)
        lines.push(`  #${String(index).padEnd(5)} ${role.padEnd(10)} ${String(weight).padStart(9)}  ${text}`);
      context.write(`${lines.join("\n")}\n`);
    });
}

function excerpt(message: Message | undefined): string {
  if (message === undefined) return "";
  const [part] = message.parts;
  const words = textOf(message) || (part?.type === "tool-call" ? `calls ${part.name}` : `[${part?.type ?? "empty"}]`);
  return words.slice(0, 200).toWellFormed().replace(/\s+/g, " ").slice(0, 60);
}
