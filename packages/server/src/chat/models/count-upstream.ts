import { MidfoldError } from "@midfold/core";
import { protocolPaths, readText } from "@midfold/wire";
import type { Destination } from "../../upstreams/destination.ts";
import type { ReplyRequest } from "./chat-models.ts";
import { writeBody } from "./reply-wire.ts";

const maxAnswerBytes = 64 * 1024;
const deadlines = { firstByte: 5_000, total: 8_000 };

/** Whether the provider can be asked how many tokens a request has. */
export function canCount(destination: Destination): boolean {
  return destination.counts !== undefined || protocolPaths[destination.protocol.name].countTokens !== undefined;
}

/** The provider's own count of a request. Throws what the protocol makes of a refusal. */
export async function countUpstream(
  destination: Destination,
  request: ReplyRequest,
  signal: AbortSignal,
): Promise<number> {
  const { protocol, counts } = destination;
  if (counts !== undefined) {
    const { messages, tools } = request;
    return counts.count({ model: destination.model, messages, tools }, { timeoutMs: deadlines.total, signal });
  }
  const path = protocolPaths[protocol.name].countTokens;
  if (path === undefined) throw new MidfoldError("INTERNAL", `${protocol.name} has no endpoint for counting.`);
  const { body } = writeBody(destination, request);
  const { model, messages, system, tools } = protocol.body.fields;
  // Such endpoints refuse whatever is not about the input.
  const wanted = [model, messages, system, tools].filter((field) => field !== undefined && field in body) as string[];
  const response = await destination.send(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Object.fromEntries(wanted.map((field) => [field, body[field]]))),
      signal,
      deadlines,
      repeatable: true,
    },
    undefined,
  );
  const text = await readText(response.body, maxAnswerBytes);
  if (response.status >= 300)
    throw protocol.decodeError({ status: response.status, body: text, headers: response.headers });
  return readCount(destination, text);
}

/** The answer has the form the protocol itself would write; its own writer says where the number stands. */
function readCount({ protocol }: Destination, text: string): number {
  const answer = JSON.parse(text) as Record<string, unknown>;
  const sample = protocol.encodeTokenCount(1) as Record<string, unknown>;
  const field = Object.keys(sample).find((name) => sample[name] === 1);
  const count = field === undefined ? undefined : answer[field];
  if (typeof count === "number" && Number.isFinite(count)) return count;
  throw new MidfoldError("UPSTREAM_BROKEN", "The provider's count is no number.");
}
