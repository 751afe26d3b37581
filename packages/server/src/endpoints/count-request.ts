import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { InboundRequest, Reply } from "../http/exchange.ts";
import { replyJson } from "../http/reply-json.ts";
import { countTurn } from "../turn/count-turn.ts";
import type { Gateway } from "../turn/gateway.ts";
import { receiveTurn } from "../turn/receive-turn.ts";

/**
 * The token counting endpoints: the size of the request as the client would send it, before any fold, by the calibrated
 * counter. Answered here and never 0: clients decide by it when to compact, and some ask fifty times a second.
 */
export async function countRequest(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): Promise<Reply> {
  const { turn, release } = await receiveTurn(gateway, request, identity, protocol);
  try {
    return replyJson(200, protocol.encodeTokenCount(await countTurn(gateway, turn)));
  } finally {
    release();
  }
}
