import { isMidfoldError, type MidfoldError } from "@midfold/core";
import type { AppliedEdit } from "@midfold/wire";
import type { Reply } from "../http/exchange.ts";
import { replyJson } from "../http/reply-json.ts";
import { answerWithCompaction, mustCompactHere, refusedToCompact } from "./compact-turn.ts";
import { editContext } from "./edit-context.ts";
import { logFold, noteFailure } from "./finish-turn.ts";
import { type Folded, foldTurn, mayFold, takeUncounted } from "./fold-turn.ts";
import type { Gateway } from "./gateway.ts";
import { type Opened, openAnswer } from "./open-answer.ts";
import { type Prepared, prepareRequest } from "./prepare-request.ts";
import { foldHarder, overflowFor } from "./recover-overflow.ts";
import { passBytes, relayStream, translateEvents } from "./relay-stream.ts";
import { gatherWhole, relayWhole } from "./relay-whole.ts";
import { forwardedHeaders, reportTurn } from "./report-headers.ts";
import { resolveWindow, type Window } from "./resolve-window.ts";
import { sendTurn } from "./send-turn.ts";
import type { Turn } from "./turn.ts";

/** An answer that has begun, with the request it answers. */
interface Attempt {
  readonly opened: Opened;
  readonly prepared: Prepared;
}

/** Folds if need be, sends, and turns what comes back into the reply. */
export async function answerTurn(gateway: Gateway, received: Turn, onEnd: () => void): Promise<Reply> {
  const { record, identity } = received;
  const limits = gateway.knowledge.recall(identity.tenant);
  if (limits !== undefined) await limits;
  const ratios = gateway.calibrations.recall(identity.tenant);
  if (ratios !== undefined) await ratios;
  const { turn, applied, compact } = editContext(gateway, received);
  const resolved = resolveWindow(gateway, turn);
  record.window = resolved.tokens;
  record.windowSource = resolved.source;
  if (mustCompactHere(turn)) return answerWithCompaction(gateway, turn, onEnd);
  if (!mayFold(gateway, turn)) {
    const unfolded: Folded = { messages: undefined, result: undefined, tokens: 0 };
    return replyTo(gateway, turn, await attempt(gateway, turn, unfolded, undefined, applied), onEnd);
  }
  const asItIs = compact === undefined ? takeUncounted(gateway, turn, resolved) : undefined;
  const { folded, window } =
    asItIs === undefined
      ? await firstFold(gateway, turn, resolved, compact !== undefined)
      : { folded: asItIs, window: resolved };
  gateway.keys.reserveTokens(identity, record.tokensAfter + window.reserve);
  let answer = await attempt(gateway, turn, folded, window, applied);
  if (answer.opened.kind === "failed" && isMidfoldError(answer.opened.error, "UPSTREAM_OVERFLOW")) {
    answer = await secondTry(gateway, turn, window, answer.opened.error, applied);
  }
  logFold(gateway, record);
  return replyTo(gateway, turn, answer, onEnd);
}

async function attempt(
  gateway: Gateway,
  turn: Turn,
  folded: Folded,
  window: Window | undefined,
  applied: readonly AppliedEdit[],
): Promise<Attempt> {
  const { record, request } = turn;
  const prepared = prepareRequest(gateway, turn, folded, window, applied);
  const sentAt = performance.now();
  if (record.upstreamAttempts === 0) record.overheadMs = sentAt - request.startedAt;
  const response = await sendTurn(turn, prepared);
  record.upstreamFirstByteMs = performance.now() - sentAt;
  record.upstreamAttempts += response.attempts;
  const opening = openAnswer(turn, response, prepared);
  const opened = opening instanceof Promise ? await opening : opening;
  const { upstream } = turn.destination;
  if (!refusesStreamUsage(turn, opened) || gateway.quirks.refusesStreamUsage(upstream)) return { prepared, opened };
  gateway.quirks.noteStreamUsageRefused(upstream);
  return attempt(gateway, turn, folded, window, applied);
}

/** Whether the upstream refused the request for asking for its usage at the end of the stream. */
function refusesStreamUsage({ destination, stream }: Turn, opened: Opened): boolean {
  const field = destination.protocol.body.fields.streamUsage;
  if (!stream || field === undefined || opened.kind !== "failed" || opened.raw === undefined) return false;
  return (opened.raw.status === 400 || opened.raw.status === 422) && opened.raw.text.includes(field);
}

/** Room for the shortest useful answer, such as one tool call. */
const shortestReply = 1_024;

/**
 * Folds for a comfortable answer; where even the smallest form does not leave room for one, for a short answer and without
 * the margin for counting errors: a window that is nearly full is better than a client that has to stop.
 */
async function firstFold(
  gateway: Gateway,
  turn: Turn,
  window: Window,
  force: boolean,
): Promise<{ readonly folded: Folded; readonly window: Window }> {
  try {
    return { folded: await foldTurn(gateway, turn, window, { force }), window };
  } catch (thrown) {
    if (!isMidfoldError(thrown, "CONTEXT_OVERFLOW")) throw thrown;
    const tight = { ...window, reserve: shortestReply, asked: Math.min(window.asked ?? shortestReply, shortestReply) };
    const budget = window.tokens - shortestReply - turn.destination.preset.safetyTokens;
    try {
      if (window.reserve > shortestReply && budget > 0) {
        return { folded: await foldTurn(gateway, turn, tight, { force, budget }), window: tight };
      }
    } catch (again) {
      if (!isMidfoldError(again, "CONTEXT_OVERFLOW")) throw again;
    }
    turn.record.outcome = "impossible";
    throw overflowFor(turn, window, thrown);
  }
}

async function secondTry(
  gateway: Gateway,
  turn: Turn,
  window: Window,
  error: MidfoldError,
  applied: readonly AppliedEdit[],
): Promise<Attempt> {
  const retry = await foldHarder(gateway, turn, window, error);
  if (retry === undefined) throw overflowFor(turn, window, error);
  const answer = await attempt(gateway, turn, retry.folded, retry.window, applied);
  if (answer.opened.kind === "failed" && isMidfoldError(answer.opened.error, "UPSTREAM_OVERFLOW")) {
    throw overflowFor(turn, retry.window, answer.opened.error);
  }
  return answer;
}

function replyTo(
  gateway: Gateway,
  turn: Turn,
  { opened, prepared }: Attempt,
  onEnd: () => void,
): Reply | Promise<Reply> {
  if (refusedToCompact(turn, opened)) return answerWithCompaction(gateway, turn, onEnd);
  if (opened.kind === "failed") return replyFailure(turn, opened, onEnd);
  const headers = forwardedHeaders(opened.response.headers);
  reportTurn(turn, headers);
  if (prepared.dropped.length > 0) headers["x-midfold-dropped"] = [...new Set(prepared.dropped)].join(",");
  if (opened.kind === "whole") return relayWhole(turn, opened, { prepared, headers, onEnd });
  if (!turn.stream) return gatherWhole(turn, opened, { prepared, headers, onEnd });
  const encoder = () => turn.protocol.createStreamEncoder(prepared.translation.reply);
  const writer = turn.sameProtocol ? passBytes(encoder) : translateEvents(encoder());
  return relayStream(turn, opened.source, { writer, headers, pingMs: gateway.settings.pingMs, onEnd });
}

/** A refusal in the upstream's own words where the client speaks its language; in the client's where it does not. */
function replyFailure(turn: Turn, { error, raw }: Extract<Opened, { kind: "failed" }>, onEnd: () => void): Reply {
  const managedKeyRefused = error.code === "UPSTREAM_CREDENTIALS" && !turn.destination.passThrough;
  if (raw === undefined || !turn.sameProtocol || managedKeyRefused || !isJsonObject(raw.text)) throw error;
  noteFailure(turn.record, error);
  turn.record.status = raw.status;
  const headers = forwardedHeaders(raw.headers);
  reportTurn(turn, headers);
  return { ...replyJson(raw.status, undefined, headers), body: raw.text, onEnd };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
