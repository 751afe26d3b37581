import { breakerState, forecastTurns } from "@midfold/core/chat";
import type { Usage } from "../../api/usage.ts";
import type { Chat } from "../chat.ts";
import { readBreaker } from "../folds/fold-state.ts";
import { historyBudget } from "./history-budget.ts";
import { type LoadedContext, type LoadOptions, loadContext } from "./load-context.ts";
import { tokensOf } from "./weigh-context.ts";

const warningPercent = 80;
const criticalPercent = 95;

/** The meter: the size of the next request, by category. */
export async function measureUsage(chat: Chat, sessionId: string, options: LoadOptions = {}): Promise<Usage> {
  const loaded = await loadContext(chat, sessionId, options);
  return toUsage(chat, loaded, await readBreaker(chat.store, sessionId));
}

export function toUsage(chat: Chat, loaded: LoadedContext, breaker: { failures: number; retryAt: number }): Usage {
  const { model, context, weights } = loaded;
  const budget = historyBudget(loaded);
  const known = model.info.known;
  const percent = known ? Math.round((1000 * weights.total) / Math.max(1, budget.usable)) / 10 : null;
  const recent = context.entries.flatMap((entry, i) =>
    entry.kind === "recent" || entry.kind === "draft"
      ? [{ message: entry.message, tokens: weights.entries[i] ?? 0 }]
      : [],
  );
  const forecast = () =>
    forecastTurns(
      recent.map(({ message }) => message),
      recent.map(({ tokens }) => tokens),
      budget.requestLimit - weights.total,
    );
  const acts = known && model.settings.autoCompression;
  return {
    model: model.name,
    window: known ? model.info.window : null,
    usable: known ? budget.usable : null,
    total: weights.total,
    percent,
    level:
      percent === null
        ? "unknown"
        : percent >= criticalPercent
          ? "critical"
          : percent >= warningPercent
            ? "warning"
            : "ok",
    categories: categories(loaded, budget.usable),
    threshold: acts
      ? {
          percent: model.settings.thresholdPercent,
          tokens: budget.requestLimit,
          percentOfUsable: Math.round((1000 * budget.requestLimit) / Math.max(1, budget.usable)) / 10,
        }
      : null,
    turnsLeft: known ? (forecast() ?? null) : null,
    exact: weights.exact,
    counter: weights.counter,
    autoCompression: model.settings.autoCompression,
    breaker: {
      failures: breaker.failures,
      open: breakerState(breaker, chat.now()) === "open",
      retryAt: breaker.retryAt > chat.now() ? new Date(breaker.retryAt).toISOString() : null,
    },
  };
}

function categories(loaded: LoadedContext, usable: number): Usage["categories"] {
  const { model, context, weights } = loaded;
  const of = (kind: "system" | "summary" | "recalled" | "recent" | "draft") => ({
    category: kind,
    tokens: tokensOf(context, weights, kind),
    messages: context.entries.filter((entry) => entry.kind === kind).length,
  });
  const [system, recent, draft] = [of("system"), of("recent"), of("draft")];
  const [summary, recalled] = [of("summary"), of("recalled")];
  const named = [system, summary, recalled, recent, draft].reduce((sum, { tokens }) => sum + tokens, weights.tools);
  // The few tokens of overhead per request are added to the system row, so that the rows add up.
  const overhead = Math.max(0, weights.total - named);
  const rows: Usage["categories"] = [
    { ...system, tokens: system.tokens + overhead },
    { category: "tools", tokens: weights.tools },
    summary,
    recalled,
    recent,
    draft,
  ];
  if (!model.info.known) return rows;
  return [
    ...rows,
    { category: "reserved", tokens: model.info.window - usable },
    { category: "free", tokens: Math.max(0, usable - weights.total) },
  ];
}
