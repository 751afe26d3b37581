import type { TurnEvent } from "../../api/events.ts";
import type { Fitted, FitWish, Prepared } from "../../exchange/ask.ts";
import { type Exchanged, exchange, sizeOf } from "../../exchange/exchange.ts";
import { learnFromBill } from "../../exchange/learn-from-bill.ts";
import { countingError, type Window } from "../../exchange/window.ts";
import type { Chat } from "../chat.ts";
import { type LoadedContext, loadContext } from "../context/load-context.ts";
import { toUsage } from "../context/measure-usage.ts";
import { withRecalled } from "../context/recall-folded.ts";
import { autoFold } from "../folds/auto-fold.ts";
import { readBreaker } from "../folds/fold-state.ts";
import type { ReplyUsage } from "../models/chat-models.ts";
import { writeBody } from "../models/reply-wire.ts";
import { keyOf, resolveChatModel } from "../settings/resolve-chat-model.ts";
import type { PreparedTurn } from "./prepare-turn.ts";
import { toReplyRequest } from "./to-reply-request.ts";

/** A session's next request, folded to fit. */
interface FittedSession extends Fitted {
  readonly loaded: LoadedContext;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Called with what happens before the first word arrives. */
  readonly tell: (event: TurnEvent) => void;
  readonly onLoaded: (loaded: LoadedContext) => void;
}

export type AskedModel = Exchanged<FittedSession, Prepared>;

/**
 * Sends a session through the exchange: folded first where it has to be, and folded harder if the provider still
 * refuses it. Where the user has switched folding off, the refusal is the answer.
 */
export async function askModel(
  chat: Chat,
  turn: PreparedTurn,
  { signal, tell, onLoaded }: AskOptions,
): Promise<AskedModel> {
  const { session, user, reply, upstream } = turn;
  const { destination } = upstream;
  const model = await resolveChatModel(chat, turn.model, session.id);
  const key = keyOf(chat.store, upstream);
  const error = countingError(chat.exchange.calibrations, key, model.counter);
  const mayFold = turn.fold === "auto" && model.settings.autoCompression;
  const load = async ({ window, budget }: FitWish): Promise<LoadedContext> => {
    if (turn.fold === "off") return loadContext(chat, session.id, { model: turn.model, through: user.seq });
    const smaller = budget === undefined ? undefined : Math.min(window.tokens, budget + window.reserve);
    const input = { sessionId: session.id, inputSeq: user.seq, model: turn.model, window: smaller };
    return autoFold(chat, { ...input, signal, onEvent: tell });
  };
  return exchange<FittedSession, Prepared>(chat.exchange, {
    key,
    destination,
    providerKey: undefined,
    stream: true,
    callerRetries: false,
    signal,
    window: windowOf(turn, model),
    mayFold,
    margin: (tokens) => Math.ceil(tokens * error),
    async fit(wish) {
      const loaded = await withRecalled(chat.store, await load(wish));
      signal.throwIfAborted();
      onLoaded(loaded);
      chat.reserveTokens(loaded.weights.total);
      tell({
        type: "usage.changed",
        sessionId: session.id,
        usage: toUsage(chat, loaded, await readBreaker(chat.store, session.id)),
      });
      tell({ type: "reply.start", messageId: reply.id, model: turn.model });
      return { loaded, tokens: loaded.weights.total, counted: true, changed: loaded.context.summary !== undefined };
    },
    count: async () => 0,
    encode({ loaded }, _, maxOutput) {
      const request = toReplyRequest(loaded, maxOutput ?? turn.maxOutputTokens);
      const usage = !chat.exchange.quirks.refusesStreamUsage(destination.upstream);
      return {
        bytes: JSON.stringify(writeBody(destination, request, usage).body),
        headers: {},
        maxOutput: request.maxOutputTokens,
        createDecoder: () => destination.protocol.createStreamDecoder(),
      };
    },
  });
}

/** The window as the chat resolved it; the user's own settings count as configured. */
function windowOf({ maxOutputTokens }: PreparedTurn, { info, windowSource, upstream }: LoadedContext["model"]): Window {
  const source = upstream?.destination.windowIsStated === true ? "route" : sources[windowSource];
  const reserve = Math.min(info.maxOutput, Math.floor(info.window / 2));
  return { tokens: info.window, source, maxOutput: info.maxOutput, reserve, asked: maxOutputTokens ?? reserve };
}

const sources = {
  override: "route",
  learned: "learned",
  upstream: "upstream",
  "built-in": "registry",
  guess: "guess",
} as const;

/** Learns from the billed usage how this model counts and how large its window is. */
export function learnFromReply(chat: Chat, turn: PreparedTurn, asked: AskedModel, usage: ReplyUsage) {
  const { loaded } = asked.fitted;
  learnFromBill(chat.exchange, {
    key: keyOf(chat.store, turn.upstream),
    countAs: loaded.model.countAs,
    conversation: turn.session.id,
    bytes: sizeOf(asked.prepared.bytes),
    counted: loaded.weights.total,
    usage: { input: usage.inputTokens, cached: usage.cachedTokens ?? 0, output: usage.outputTokens },
    windowIsStated: asked.window.source === "route",
  });
}
