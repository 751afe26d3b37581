import type { Message } from "@midfold/core";
import { encodeCompaction, type Protocol, protocolPaths, readText } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { InboundRequest, Reply } from "../http/exchange.ts";
import { replyJson } from "../http/reply-json.ts";
import { compactMessages } from "../turn/compact-turn.ts";
import type { Gateway } from "../turn/gateway.ts";
import { receiveTurn } from "../turn/receive-turn.ts";
import type { Turn } from "../turn/turn.ts";

/** What stays word for word: the newest messages of the user up to this many tokens. */
const keptTokens = 20_000;
const maxAnswerBytes = 16 * 1024 * 1024;
/** Answers of a server that does not have this endpoint. */
const absent: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * `/v1/responses/compact`: the conversation as few items that stand for it. An upstream that has the endpoint answers it
 * itself; for all others the summary is written here, by the route's model, or as a digest when that does not come off.
 */
export async function compactResponses(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): Promise<Reply> {
  const { turn, release } = await receiveTurn(gateway, request, identity, protocol);
  try {
    return (await askUpstream(turn)) ?? (await compactHere(gateway, turn));
  } finally {
    release();
  }
}

async function askUpstream(turn: Turn): Promise<Reply | undefined> {
  const { destination, body, request, identity } = turn;
  const path = protocolPaths[destination.protocol.name].compact;
  if (!turn.sameProtocol || path === undefined || destination.demo === true) return undefined;
  const response = await destination.send(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: body.bytes,
      signal: request.signal,
    },
    identity.providerKey,
  );
  const text = await readText(response.body, maxAnswerBytes);
  if (absent.has(response.status)) return undefined;
  return { status: response.status, headers: { "content-type": "application/json" }, body: text };
}

async function compactHere(gateway: Gateway, turn: Turn): Promise<Reply> {
  const { protocol, body, destination, identity, request } = turn;
  const counter = gateway.counterFor(destination.countAs, identity);
  const messages = protocol.format.decode(protocol.body.messagesOf(body.value));
  const { sealed, usage } = await compactMessages(gateway, turn, { withoutLast: false });
  return replyJson(
    200,
    encodeCompaction({
      id: `resp_${request.id.slice("req_".length)}`,
      createdAt: Math.floor(gateway.now() / 1000),
      kept: newestOfUser(messages, (message) => counter.countMessage(message)),
      sealed,
      usage,
    }),
  );
}

/** Whole messages, newest first until the room is used up, in their old order. */
function newestOfUser(messages: readonly Message[], weigh: (message: Message) => number): unknown[] {
  const kept: unknown[] = [];
  let room = keptTokens;
  for (const message of messages.toReversed()) {
    if (message.role !== "user" || message.pinned === true) continue;
    room -= weigh(message);
    if (room < 0) break;
    kept.unshift(message.source);
  }
  return kept;
}
