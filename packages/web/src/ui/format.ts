const whole = new Intl.NumberFormat("en");

export const formatCount = (value: number): string => whole.format(value);

/** 950 · 9.4k · 118k · 1.2M: short enough for a bar, exact enough to compare. */
export function formatTokens(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 9950) return `${(value / 1000).toFixed(1).replace(/\.0$/, "")}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

export const formatPercent = (value: number): string =>
  `${value < 10 && value > 0 ? value.toFixed(1) : Math.round(value)}%`;

export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "unknown";
  if (usd === 0) return "free";
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export const formatSeconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

export const formatTime = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Text as a sentence: a capital first, a full stop last. */
export const sentence = (words: string): string =>
  words === "" ? "" : `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

/** The beginning of a Markdown text in one line, without its markup. */
export const withoutMarks = (text: string): string =>
  text
    .replaceAll(/(?:^|\s)#{1,6}\s+/g, " ")
    .replaceAll(/(?:^|\s)[-*]\s+/g, " · ")
    .replaceAll(/\*\*|__|`/g, "")
    .replace(/^[\s·]+/, "");
