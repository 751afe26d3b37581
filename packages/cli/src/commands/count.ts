import { detectFormat, getCounter, resolveModel } from "@midfold/core";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { conversationArgument } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { warnTo } from "../output/warn-to.ts";

interface CountFlags {
  readonly model?: string;
  readonly json?: boolean;
}

export function addCount(program: Command, context: CliContext): void {
  program
    .command("count")
    .description("count the tokens of a conversation")
    .argument("[file]", conversationArgument)
    .option("-m, --model <name>", "the model whose counting rules apply")
    .option("--json", "print figures as JSON")
    .action(async (file: string | undefined, flags: CountFlags) => {
      const conversation = await readConversation(context, file);
      const model = flags.model ?? conversation.model ?? "gpt-4o";
      const counter = getCounter(model);
      const messages = detectFormat(conversation.messages, { format: conversation.format }).decode(
        conversation.messages,
      );
      const tools =
        conversation.tools.length === 0 ? 0 : counter.countTools(conversation.tools, conversation.toolChoice);
      const system = conversation.system.reduce((sum, message) => sum + counter.countMessage(message), 0);
      const tokens = counter.countMessages([...conversation.system, ...messages]) + tools;
      const { window } = resolveModel(model, { warn: warnTo(context) });
      const figures = {
        model,
        counter: counter.name,
        exact: counter.exact,
        tokens,
        system,
        tools,
        messages: messages.length,
        window,
      };
      if (flags.json === true) context.write(`${JSON.stringify(figures)}\n`);
      else {
        const share = ((100 * tokens) / window).toFixed(1);
        context.write(
          `${tokens} tokens (${counter.exact ? "exact" : "estimated"}, ${counter.name}), ${share}% of ${model}'s ${window}\n`,
        );
      }
    });
}
