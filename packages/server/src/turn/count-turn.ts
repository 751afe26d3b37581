import { bytesOf, countingRule } from "../threads/tasks.ts";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/** The size of a request as the client sent it, everything counted. */
export async function countTurn(gateway: Gateway, turn: Turn): Promise<number> {
  const { body, destination, protocol, identity } = turn;
  const counter = gateway.counterFor(destination.countAs, identity);
  if ((await gateway.prepareCounting(turn, counter)) === "in-thread") {
    const counting = countingRule(counter, destination.countAs);
    const task = { bytes: bytesOf(turn), protocol: protocol.name, counting };
    return Math.max(1, Math.ceil(await gateway.threads.run("count", task, { signal: turn.request.signal })));
  }
  const messages = protocol.format.decode(protocol.body.messagesOf(body.value));
  const tools = protocol.body.toolsOf(body.value);
  const choice = protocol.body.toolChoiceOf(body.value);
  const tokens = counter.countMessages([...protocol.body.systemOf(body.value), ...messages]);
  return Math.max(1, Math.ceil(tokens + counter.countTools(tools, choice)));
}
