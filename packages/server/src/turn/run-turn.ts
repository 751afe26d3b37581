import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { toMidfoldError } from "../http/create-site.ts";
import type { InboundRequest, Reply } from "../http/exchange.ts";
import { startTurnSpan } from "../observe/turn-span.ts";
import { answerTurn } from "./answer-turn.ts";
import { finishTurn, noteFailure } from "./finish-turn.ts";
import type { Gateway } from "./gateway.ts";
import { openRecord, receiveTurn } from "./receive-turn.ts";
import { replyWithSignsOfLife } from "./signs-of-life.ts";

/** One request for an answer, from its first byte to its last. Rejects with what the client is to be told. */
export async function runTurn(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): Promise<Reply> {
  const record = openRecord(gateway, request, identity, protocol);
  const span = startTurnSpan({ protocol: protocol.name, model: "", requestId: request.id });
  let release = () => {};
  let finished = false;
  const onEnd = () => {
    if (finished) return;
    finished = true;
    release();
    finishTurn(gateway, record, span, request.startedAt);
  };
  try {
    const received = await receiveTurn(gateway, request, identity, protocol, record);
    release = received.release;
    const { turn } = received;
    gateway.requests.start(record);
    const work = answerTurn(gateway, turn, onEnd);
    return await (turn.stream ? replyWithSignsOfLife(turn, work, { pingMs: gateway.settings.pingMs, onEnd }) : work);
  } catch (thrown) {
    const error =
      request.signal.aborted && !isMidfoldError(thrown) ? abortReason(request.signal) : toMidfoldError(thrown);
    noteFailure(record, error);
    onEnd();
    throw error;
  }
}

function abortReason(signal: AbortSignal): MidfoldError {
  return isMidfoldError(signal.reason) ? signal.reason : new MidfoldError("ABORTED", "The client left.");
}
