import { detectFormat, getCounter, type Message, resolveModel, textOf } from "@midfold/core";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { conversationArgument } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { warnTo } from "../output/warn-to.ts";

interface InspectFlags {
  readonly model?: string;
  readonly top: string;
}

export function addInspect(program: Command, context: CliContext): void {
  program
    .command("inspect")
    .description("show where a conversation's tokens are: by role, and the largest messages")
    .argument("[file]", conversationArgument)
    .option("-m, --model <name>", "the model whose counting rules apply")
    .option("-n, --top <count>", "how many of the largest messages to list", "8")
    .action(async (file: string | undefined, flags: InspectFlags) => {
      const conversation = await readConversation(context, file);
      const model = flags.model ?? conversation.model ?? "gpt-4o";
      const counter = getCounter(model);
      const format = detectFormat(conversation.messages, { format: conversation.format });
      const messages = format.decode(conversation.messages);
      const weights = messages.map((message) => counter.countMessage(message));
      const byRole = new Map<string, { count: number; tokens: number }>();
      const add = (role: string, tokens: number) => {
        const row = byRole.get(role) ?? { count: 0, tokens: 0 };
        byRole.set(role, { count: row.count + 1, tokens: row.tokens + tokens });
      };
      for (const message of conversation.system) add("system", counter.countMessage(message));
      for (const [index, message] of messages.entries()) add(message.role, weights[index] ?? 0);
      if (conversation.tools.length > 0)
        add("tool definitions", counter.countTools(conversation.tools, conversation.toolChoice));
      const total = [...byRole.values()].reduce((sum, row) => sum + row.tokens, 0);
      const { window } = resolveModel(model, { warn: warnTo(context) });
      const lines = [
        `${format.name}, ${messages.length} messages, ${total} tokens, ${((100 * total) / window).toFixed(1)}% of ${window}`,
      ];
      for (const [role, { count, tokens }] of byRole)
        lines.push(`  ${role.padEnd(17)} ${String(count).padStart(5)}  ${String(tokens).padStart(9)} tokens`);
      const largest = weights.map((tokens, index) => ({ tokens, index })).sort((a, b) => b.tokens - a.tokens);
      lines.push("largest:");
      for (const { tokens, index } of largest.slice(0, Number(flags.top) || 8)) {
        lines.push(
          `  #${String(index).padEnd(5)} ${messages[index]?.role.padEnd(10)} ${String(tokens).padStart(9)}  ${excerpt(messages[index])}`,
        );
      }
      context.write(`${lines.join("\n")}\n`);
    });
}

function excerpt(message: Message | undefined): string {
  if (message === undefined) return "";
  const [part] = message.parts;
  const words = textOf(message) || (part?.type === "tool-call" ? `calls ${part.name}` : `[${part?.type ?? "empty"}]`);
  return words.slice(0, 200).toWellFormed().replace(/\s+/g, " ").slice(0, 60);
}
