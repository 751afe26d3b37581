import { isMidfoldError, type MidfoldError } from "@midfold/core";
import type { Reply } from "../http/exchange.ts";
import { replyJson } from "../http/reply-json.ts";
import { answerContext } from "./answer-context.ts";
import { logFold, noteFailure } from "./finish-turn.ts";
import { type Folded, foldTurn, mayFold } from "./fold-turn.ts";
import type { Gateway } from "./gateway.ts";
import { type Opened, openAnswer } from "./open-answer.ts";
import { foldHarder, overflowFor } from "./recover-overflow.ts";
import { passBytes, relayStream } from "./relay-stream.ts";
import { relayWhole } from "./relay-whole.ts";
import { forwardedHeaders, reportHeaders } from "./report-headers.ts";
import { resolveWindow, type Window } from "./resolve-window.ts";
import { sendTurn } from "./send-turn.ts";
import type { Turn } from "./turn.ts";

/** Folds if need be, sends, and turns what comes back into the reply. */
export async function answerTurn(gateway: Gateway, turn: Turn, onEnd: () => void): Promise<Reply> {
  const { record, identity } = turn;
  await gateway.knowledge.recall(identity.tenant);
  const window = resolveWindow(gateway, turn);
  record.window = window.tokens;
  record.windowSource = window.source;
  if (!mayFold(gateway, turn)) {
    const unfolded: Folded = { messages: undefined, result: undefined, tokens: 0 };
    const opened = await openAnswer(turn, await sendTurn(turn, unfolded, undefined));
    return replyTo(gateway, turn, opened, onEnd);
  }
  const folded = await firstFold(gateway, turn, window);
  gateway.keys.reserveTokens(identity, record.tokensAfter + window.reserve);
  let opened = await openAnswer(turn, await sendTurn(turn, folded, window));
  if (opened.kind === "failed" && isMidfoldError(opened.error, "UPSTREAM_OVERFLOW")) {
    opened = await secondTry(gateway, turn, window, opened.error);
  }
  logFold(gateway, record);
  return replyTo(gateway, turn, opened, onEnd);
}

async function firstFold(gateway: Gateway, turn: Turn, window: Window): Promise<Folded> {
  try {
    return await foldTurn(gateway, turn, window);
  } catch (thrown) {
    if (!isMidfoldError(thrown, "CONTEXT_OVERFLOW")) throw thrown;
    turn.record.outcome = "impossible";
    throw overflowFor(turn, window, thrown);
  }
}

async function secondTry(gateway: Gateway, turn: Turn, window: Window, error: MidfoldError): Promise<Opened> {
  const retry = await foldHarder(gateway, turn, window, error);
  if (retry === undefined) throw overflowFor(turn, window, error);
  const opened = await openAnswer(turn, await sendTurn(turn, retry.folded, retry.window));
  if (opened.kind === "failed" && isMidfoldError(opened.error, "UPSTREAM_OVERFLOW")) {
    throw overflowFor(turn, retry.window, opened.error);
  }
  return opened;
}

function replyTo(_gateway: Gateway, turn: Turn, opened: Opened, onEnd: () => void): Reply {
  if (opened.kind === "failed") return replyFailure(turn, opened, onEnd);
  const headers = { ...forwardedHeaders(opened.response.headers), ...reportHeaders(turn) };
  if (opened.kind === "whole") return relayWhole(turn, opened, { headers, onEnd });
  const writer = passBytes(() => turn.protocol.createStreamEncoder(answerContext(turn, undefined)));
  return relayStream(turn, opened.source, { writer, headers, pingMs: _gateway.settings.pingMs, onEnd });
}

/** A refusal in the upstream's own words where the client speaks its language; in the client's where it does not. */
function replyFailure(turn: Turn, { error, raw }: Extract<Opened, { kind: "failed" }>, onEnd: () => void): Reply {
  const managedKeyRefused = error.code === "UPSTREAM_CREDENTIALS" && !turn.destination.passThrough;
  if (raw === undefined || !turn.sameProtocol || managedKeyRefused) throw error;
  let body: unknown;
  try {
    body = JSON.parse(raw.text);
  } catch {
    throw error;
  }
  if (typeof body !== "object" || body === null) throw error;
  noteFailure(turn.record, error);
  turn.record.status = raw.status;
  return {
    ...replyJson(raw.status, body, { ...forwardedHeaders(raw.headers), ...reportHeaders(turn) }),
    body: raw.text,
    onEnd,
  };
}
