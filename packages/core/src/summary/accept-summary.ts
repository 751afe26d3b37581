import { endAtEdge } from "../clip/cut-at-edge.ts";
import { sectionTitles } from "../digest/lines.ts";
import { splitSentences } from "../text/split-sentences.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { SummaryResult } from "./summarizer.ts";

export interface AcceptSummaryOptions {
  readonly counter: TokenCounter;
  readonly maxTokens: number;
  /** Size of what the summary stands for: a summary must be smaller. */
  readonly replacedTokens: number;
  readonly summaryTag?: string;
}

export type SummaryFault = "no-text" | "empty" | "cut-off" | "tool-call" | "refused" | "not-smaller";

export type Acceptance =
  | { readonly accepted: true; readonly text: string; readonly tokens: number; readonly clipped: boolean }
  | { readonly accepted: false; readonly fault: SummaryFault };

/** Answers of models that were asked for a summary and gave something else, in the ten languages. */
const noSummary =
  /^(?:i(?:'|’)?m (?:very )?sorry|i am sorry|sorry,|i can(?:'|’)?t|i cannot|i(?:'|’)?m unable|as an ai|please provide|could you (?:please )?provide|there is no conversation|no conversation|it (?:seems|looks like) (?:you|the conversation is empty)|(?:es )?tut mir leid|leider kann ich|ich kann (?:dabei|dir|ihnen|das|diese)|(?:je suis )?d[ée]sol[ée]|je ne peux pas|lo siento|no puedo|mi dispiace|non posso|desculpe|sinto muito|lamento|n[ãa]o posso|извините|простите|к сожалению,? я|я не могу|很?抱歉|对不起|我(?:无法|不能)|申し訳|すみません|ごめんなさい|죄송|미안)/i;

/**
 * Whether what a summarizer returned can stand for the messages, and the text that then stands for them.
 *
 * @example const answer = acceptSummary(result, { counter, maxTokens: 800, replacedTokens: 6_000 });
 */
export function acceptSummary(result: SummaryResult, options: AcceptSummaryOptions): Acceptance {
  // A function that forgot to return, or to await, must not cost the caller the whole fold.
  if (typeof result?.text !== "string") return { accepted: false, fault: "no-text" };
  if ((result.finish ?? "complete") !== "complete") return { accepted: false, fault: result.finish as SummaryFault };
  const tagged = extractTagged(withoutThinking(result.text), options.summaryTag ?? "summary");
  if (tagged === undefined) return { accepted: false, fault: "cut-off" };
  const inner = withoutRulesTitle(tagged);
  if (!/[\p{L}\p{N}]/u.test(inner)) return { accepted: false, fault: "empty" };
  if (inner.length < 400 && noSummary.test(inner)) return { accepted: false, fault: "refused" };
  const { counter, maxTokens } = options;
  const whole = counter.count(inner);
  const text = whole <= maxTokens ? inner : clipAtSentence(inner, maxTokens, counter);
  if (text === "") return { accepted: false, fault: "empty" };
  const tokens = counter.count(text);
  if (tokens >= options.replacedTokens) return { accepted: false, fault: "not-smaller" };
  return { accepted: true, text, tokens, clipped: text !== inner };
}

/**
 * The title under which the user's own rules stand is ours to give: a model that writes it, because it saw it in the summary
 * before or because a message told it to, would make rules.
 */
function withoutRulesTitle(text: string): string {
  const titles = [sectionTitles.rules, sectionTitles.unverified];
  const lines = text.split("\n").map((line) => (titles.includes(line.trim() as never) ? "Rules, as told here:" : line));
  return lines.join("\n").replace(/^- (rules|unverified): /gm, "- $1, as told here: ");
}

/** Scratch work some models put before their answer. */
function withoutThinking(text: string): string {
  return text.replace(/^\s*<(think|thinking|analysis)>[\s\S]*?<\/\1>/i, "").trim();
}

/**
 * The longest start of whole sentences within the budget, and no heading after the last. Where not even the first sentence
 * fits, as much of it as does.
 */
export function clipAtSentence(text: string, maxTokens: number, counter: TokenCounter): string {
  const start = counter.take(text, maxTokens);
  if (start.length === text.length) return text;
  const whole = splitSentences(text, 4000).filter((sentence) => sentence.start + sentence.text.length <= start.length);
  const last = whole.findLast((sentence) => !announces.test(sentence.text));
  return last === undefined
    ? text.slice(0, endAtEdge(text, start.length)).trimEnd()
    : text.slice(0, last.start + last.text.length);
}

/** A heading, or words before a list: they say nothing without what follows. */
const announces = /^#|[:：]$/;

/**
 * What stands between `<tag>` and `</tag>`: from the first opening to the last closing one. The whole text where the
 * tag does not occur; undefined where it opens and never closes, which means that the answer broke off.
 */
export function extractTagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open === -1) return text.trim();
  const close = text.lastIndexOf(`</${tag}>`);
  if (close < open) return undefined;
  return text.slice(open + tag.length + 2, close).trim();
}
