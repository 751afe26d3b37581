import type { Part } from "@midfold/core";
import { clipMessage } from "@midfold/core/messages";
import { countAhead } from "../context/count-ahead.ts";
import { historyBudget } from "../context/history-budget.ts";
import { loadContext } from "../context/load-context.ts";
import { historyTokens, tokensOf } from "../context/weigh-context.ts";
import type { Handler } from "../http/handler.ts";

/** Share of the room beside the system prompt that is left for the history. */
const historyShare = 0.25;

/** What a request costs beside its messages. */
const aroundMessages = 16;

/** Keeps the beginning and the end of long texts; what is left out between them is marked. */
export const clipDraft: Handler<"clipDraft"> = async ({ chat, params, body }) => {
  const words: Part[] = body.draft === "" ? [] : [{ type: "text", text: body.draft }];
  const message = { role: "user", parts: [...(body.parts as Part[]), ...words] } as const;
  const loaded = await loadContext(chat, params.sessionId, { model: body.model });
  const { counter } = loaded.model;
  const beside = tokensOf(loaded.context, loaded.weights, "system") + loaded.weights.tools;
  const free = Math.max(0, historyBudget(loaded).usable - beside);
  const history = historyTokens(loaded.context, loaded.weights);
  const room = Math.floor(free - Math.min(history, free * historyShare)) - aroundMessages;
  await countAhead(chat.counts, counter, [message]);
  const clipped = clipMessage(message, room, counter);
  const parts = [...clipped.parts];
  const last = words.length === 0 ? undefined : parts.pop();
  return {
    draft: last?.type === "text" ? last.text : "",
    parts: parts as typeof body.parts,
    tokens: counter.countMessage(clipped),
    room,
  };
};
