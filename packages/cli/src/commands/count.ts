import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { countMessages } from "../input/count-messages.ts";
import { addConversationFlags, type ConversationFlags, modelOf } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";

export function define(command: Command, context: CommandContext): void {
  addConversationFlags(command).action(async (file: string | undefined, flags: ConversationFlags) => {
    const conversation = await readConversation(context, file, flags);
    const { name: model, info } = modelOf(context, flags, conversation);
    const { messages, counter } = await countMessages(context, conversation, model, flags.format);
    const tools = conversation.tools.length === 0 ? 0 : counter.countTools(conversation.tools, conversation.toolChoice);
    const system = conversation.system.reduce((sum, message) => sum + counter.countMessage(message), 0);
    const tokens = counter.countMessages([...conversation.system, ...messages]) + tools;
    const { window } = info;
    if (flags.json === true) {
      const { name, exact } = counter;
      context.write(
        `${JSON.stringify({ model, counter: name, exact, tokens, system, tools, messages: messages.length, window })}\n`,
      );
      return;
    }
    const share = ((100 * tokens) / window).toFixed(1);
    const how = `${counter.exact ? "exact" : "estimated"}, ${counter.name}`;
    context.write(`${tokens} tokens (${how}), ${share}% of ${model}'s ${window}\n`);
  });
}
