import type { RequestSummary } from "../api/types.gen.ts";
import type { BadgeTone } from "../ui/badge.tsx";
import { formatCount, formatTokens, plural } from "../ui/format.ts";

type Outcome = RequestSummary["fold"]["outcome"];

const outcomeLabels: Readonly<Record<Outcome, string>> = {
  off: "folding off",
  fits: "fits",
  "below-minimum": "below minimum",
  clipped: "results clipped",
  reused: "fold reused",
  folded: "folded",
  impossible: "cannot fit",
};

/** In two words. A request that ended before a fold was decided on says how it ended, not that folding is off. */
export function outcomeLabel(outcome: Outcome, state: RequestSummary["state"]): string {
  return outcome === "off" && state !== "done" ? state : outcomeLabels[outcome];
}

export function outcomeTone(outcome: Outcome): BadgeTone {
  if (outcome === "impossible") return "alarm";
  if (outcome === "folded" || outcome === "reused") return "fold";
  return "plain";
}

/** Why this request was folded or not, in one sentence with the figures, and whether it failed all the same. */
export function whyOutcome(request: RequestSummary): string {
  const { fold, state, errorCode } = request;
  const told = state !== "failed" || fold.outcome === "off" || fold.outcome === "impossible";
  return told
    ? whyFolded(request)
    : `${whyFolded(request)} The request failed${errorCode === null ? "" : ` (${errorCode})`}.`;
}

function whyFolded({ fold, state, errorCode, timing }: RequestSummary): string {
  const size = `${formatCount(fold.tokensBefore)} tokens`;
  const room = `${formatCount(fold.budget)} of the ${formatTokens(fold.window)} window may be input`;
  switch (fold.outcome) {
    case "folded":
      return `Folded${isEarly(fold) ? " before it had to be, as the provider's cache was cold" : ""}: ${size} came in, ${room}. ${plural(fold.messagesBefore, "message")} became ${formatCount(fold.messagesAfter)}.`;
    case "reused":
      return `An earlier fold still stands, so the prefix stayed as it was: ${size} came in, ${formatCount(fold.tokensAfter)} went out.`;
    case "fits":
      return `Not folded: ${size} fit, ${room}.`;
    case "below-minimum":
      return `Not folded: ${size} is below the minimum worth folding.`;
    case "clipped":
      return `Not folded, but tool results that were very large on their own were clipped: ${size} came in, ${formatCount(fold.tokensAfter)} went out.`;
    case "impossible":
      // Nothing was planned where what must stay alone is too large, so no budget is known.
      return `It cannot be made to fit: ${size} came in, ${fold.budget === 0 ? `the window is ${formatTokens(fold.window)}` : `only ${room}`}. The client got its protocol's overflow error.`;
    case "off":
      return whyOff(state, errorCode === null ? "" : ` (${errorCode})`, timing.upstreamFirstByte !== null);
  }
}

const isEarly = ({ tokensBefore, budget, cacheIsCold }: RequestSummary["fold"]) =>
  cacheIsCold === true && tokensBefore <= budget;

/** After how many calls a fold that was just made has paid for itself; null where that is not known. */
export function whenItPays({ breakEvenCalls, cacheIsCold }: RequestSummary["fold"]): string | null {
  if (breakEvenCalls === null) return null;
  const when = breakEvenCalls === 0 ? "at once" : `after ${plural(breakEvenCalls, "further call")}`;
  if (cacheIsCold === null) return `${when}, if the provider's cache was warm`;
  return `${when}: the provider's cache was ${cacheIsCold ? "cold" : "warm"}`;
}

function whyOff(state: RequestSummary["state"], code: string, answered: boolean): string {
  const off = "Not folded: folding is off for this server, route or request.";
  if (state === "running") return "Being looked at now.";
  if (state === "cancelled" && !answered) return "Not folded: the client left before that.";
  if (state !== "failed") return off;
  return answered
    ? `${off} The upstream's answer was an error${code}.`
    : `Not folded: the request failed before that${code}.`;
}

export const dollars = (micros: number): string => {
  const usd = micros / 1_000_000;
  if (usd === 0) return "$0.00";
  return `${usd < 0 ? "−" : ""}$${Math.abs(usd).toFixed(Math.abs(usd) < 0.1 ? 4 : 2)}`;
};

export const clock = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}
