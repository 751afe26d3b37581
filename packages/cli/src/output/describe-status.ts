import type { RequestSummary } from "@midfold/server";

export interface DescribeStatusOptions {
  readonly color: boolean;
}

const cells = 10;

/** The newest request of a session as a meter, and what folding did for the session; newest request first. */
export function describeStatus(requests: readonly RequestSummary[], { color }: DescribeStatusOptions): string {
  const newest = requests.find(({ fold, compactionRequest }) => fold.budget > 0 && !compactionRequest);
  if (newest === undefined) return "midfold: ready";
  const { tokensAfter, budget, window } = newest.fold;
  const share = tokensAfter / budget;
  const full = Math.min(cells, Math.round(share * cells));
  const meter = `${"▰".repeat(full)}${"▱".repeat(cells - full)} ${Math.round(share * 100)}% of ${short(window)}`;
  const folds = requests.filter(({ fold }) => fold.outcome === "folded").length;
  const saved = requests.reduce((sum, { fold }) => sum + Math.max(0, fold.tokensBefore - fold.tokensAfter), 0);
  const folding = folds === 0 ? "" : ` · folded ${folds}×, ${short(saved)} tokens saved`;
  return `${color ? paint(meter, share) : meter}${folding}`;
}

/** The same limits as the meter in the chat: orange from 80 %, red from 95 %. */
function paint(text: string, share: number): string {
  const code = share >= 0.95 ? 31 : share >= 0.8 ? 33 : 32;
  return `\u001b[${code}m${text}\u001b[0m`;
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${Math.round(tokens / 1_000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
