import { isMidfoldError, MidfoldError } from "@midfold/core";
import { type Protocol, sseHeaders } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { toMidfoldError } from "../http/create-site.ts";
import { headerOf, type InboundRequest, type Reply } from "../http/exchange.ts";
import { startTurnSpan, type TurnSpan } from "../observe/turn-span.ts";
import { answerContext } from "./answer-context.ts";
import { answerTurn } from "./answer-turn.ts";
import { conversationId } from "./conversation-id.ts";
import { finishTurn, noteFailure } from "./finish-turn.ts";
import type { Gateway } from "./gateway.ts";
import { learnFromAnswer } from "./learn-from-answer.ts";
import { openRecord, receiveTurn } from "./receive-turn.ts";
import { isCompactionRequest } from "./recognise-compaction.ts";
import { reportTurn } from "./report-headers.ts";
import { replyWithSignsOfLife } from "./signs-of-life.ts";
import type { Turn } from "./turn.ts";

/** One request for an answer, from its first byte to its last. Rejects with what the client is to be told. */
export async function runTurn(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): Promise<Reply> {
  const record = openRecord(gateway, request, identity, protocol);
  let span: TurnSpan | undefined;
  let release = () => {};
  let turn: Turn | undefined;
  let finished = false;
  const onEnd = () => {
    if (finished) return;
    finished = true;
    release();
    if (turn !== undefined) {
      learnFromAnswer(gateway, turn);
      if (record.state === "running") gateway.prepareSummary(turn);
    }
    finishTurn(gateway, record, span, request.startedAt);
  };
  try {
    const received = await receiveTurn(gateway, request, identity, protocol, record);
    release = received.release;
    turn = received.turn;
    record.conversationId = conversationId(gateway, turn);
    record.compactionRequest = isCompactionRequest(turn);
    span = startTurnSpan(record);
    gateway.requests.start(record);
    return await answerOnce(gateway, turn, onEnd);
  } catch (thrown) {
    const error =
      request.signal.aborted && !isMidfoldError(thrown) ? abortReason(request.signal) : toMidfoldError(thrown);
    noteFailure(record, error);
    if (turn !== undefined && isOverflow(error) && turn.stream && protocol.failsInStream === true) {
      return failInStream(turn, error, onEnd);
    }
    onEnd();
    throw error;
  }
}

/** The answer, and the same one again for whoever repeats the request with its idempotency key. */
function answerOnce(gateway: Gateway, turn: Turn, onEnd: () => void): Promise<Reply> {
  const answer = () => {
    const work = answerTurn(gateway, turn, onEnd);
    return turn.stream ? replyWithSignsOfLife(turn, work, { pingMs: gateway.settings.pingMs, onEnd }) : work;
  };
  const key = headerOf(turn.request.headers, "idempotency-key");
  if (key === undefined) return answer();
  const scoped = `${turn.identity.tenant}\n${turn.request.path}\n${key}`;
  return gateway.repeats
    .once({
      key: scoped,
      body: turn.body.bytes,
      work: answer,
      endedWell: () => turn.record.state === "running" || turn.record.state === "done",
    })
    .then((reply) => (reply.onEnd === undefined ? { ...reply, onEnd } : reply));
}

const isOverflow = (error: MidfoldError) => error.code === "CONTEXT_OVERFLOW" || error.code === "UPSTREAM_OVERFLOW";

/** Some clients read what went wrong from the stream alone. */
function failInStream(turn: Turn, error: MidfoldError, onEnd: () => void): Reply {
  turn.record.status = 200;
  const body = turn.protocol.createStreamEncoder(answerContext(turn, undefined)).push({ type: "error", error });
  const headers = { ...sseHeaders };
  reportTurn(turn, headers);
  return { status: 200, headers, body, onEnd };
}

function abortReason(signal: AbortSignal): MidfoldError {
  return isMidfoldError(signal.reason) ? signal.reason : new MidfoldError("ABORTED", "The client left.");
}
