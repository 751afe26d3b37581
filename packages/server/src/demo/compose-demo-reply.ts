import { type Message, type Part, type ToolDefinition, textOf } from "@midfold/core";

export interface DemoRequest {
  readonly messages: readonly Message[];
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly inputTokens: number;
  readonly window: number;
}

export interface DemoToolCall {
  readonly name: string;
  readonly input: string;
}

export interface DemoReply {
  readonly text: string;
  readonly calls: readonly DemoToolCall[];
}

// Clients ask for summaries and titles in their own words; these are the words all of them share.
const asksForSummary = /\bsummar(?:y|ise|ize)\b|概要|总结|要約|zusammenfass|résum/i;
const asksForTool = /\b(?:use|call|run|try|invoke)\b/i;

/**
 * What the built-in model answers. It understands nothing, but is useful offline: it answers in the form clients
 * expect, calls tools when told to, repeats their results, summarizes when asked, and shows how much of the
 * conversation it was sent. The same request always gets the same reply.
 */
export function composeDemoReply(request: DemoRequest): DemoReply {
  const last = request.messages.at(-1);
  const results = last?.parts.filter((part) => part.type === "tool-result") ?? [];
  if (results.length > 0) return { text: readBack(results, request), calls: [] };
  const said = lastWords(request.messages);
  if (asksForSummary.test(said)) return { text: summarize(request, said), calls: [] };
  const tool = chooseTool(said, request.tools);
  if (tool !== undefined) {
    return {
      text: `I will use ${tool.name} for that.`,
      calls: [{ name: tool.name, input: JSON.stringify(fillSchema(tool.schema, said)) }],
    };
  }
  return { text: converse(request), calls: [] };
}

/** The last message of the user; some agents add instructions of their own after it, as system messages. */
function lastWords(messages: readonly Message[]): string {
  const last = messages[lastSaid(messages)];
  return last === undefined ? "" : wordsOf(last);
}

function lastSaid(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role }) => role !== "system");
  return last < 0 ? messages.length - 1 : last;
}

/** What a person wrote, without what an agent wrote into it between tags and what was recalled for it. */
function wordsOf(message: Message): string {
  const text = textOf(message);
  const own = text.replace(excerpts, "").replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "");
  return own.trim() || text;
}

/** What a person asks, where files were sent with it: those stand before it, each a part of its own. */
function questionOf(message: Message): string {
  const texts = message.parts.filter((part) => part.type === "text" && part.text.trim() !== "");
  const own = texts.findLast((part) => !/^\s*<system-reminder>/.test(textOf({ ...message, parts: [part] })));
  return wordsOf(own === undefined ? message : { ...message, parts: [own] });
}

/** What a fold puts before a question; a line each. */
const excerpts = /^\[Excerpts of earlier messages[^\]\n]*\]\n(?:- .*\n)+\n?/;

function chooseTool(said: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const words = new Set(said.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []);
  const named = tools.find((tool) => tool.name.length > 2 && words.has(tool.name.toLowerCase()));
  if (named === undefined || !asksForTool.test(said)) return undefined;
  return named;
}

function readBack(results: readonly Part[], request: DemoRequest): string {
  const lines = results.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const text = part.content.map((piece) => (piece.type === "text" ? piece.text : `[${piece.type}]`)).join("\n");
    const excerpt = pickSentences(text, 2).join(" ");
    return [`${part.isError === true ? "The tool reported an error" : "The tool answered"}: ${excerpt || "(nothing)"}`];
  });
  return `${lines.join("\n")}\n\n${footer(request)}`;
}

function summarize(request: DemoRequest, said: string): string {
  const lines: string[] = [];
  for (const message of request.messages.slice(0, -1)) {
    const [first] = pickSentences(textOf(message), 1);
    if (first === undefined) continue;
    lines.push(`- ${message.role === "user" ? "The user said" : "The assistant said"}: ${first}`);
  }
  // A long history keeps its start and its end; a summary may lose what lies between.
  const kept =
    lines.length <= 24 ? lines : [...lines.slice(0, 8), `- (${lines.length - 24} more)`, ...lines.slice(-16)];
  const body = kept.length > 0 ? kept.join("\n") : `- ${pickSentences(said, 3).join(" ")}`;
  return /<summary>/i.test(said) ? `<summary>\n${body}\n</summary>` : body;
}

function converse(request: DemoRequest): string {
  const at = lastSaid(request.messages);
  const last = request.messages[at];
  const said = last === undefined ? "" : questionOf(last);
  const [first] = pickSentences(said, 1);
  const heard = first === undefined ? "You sent no words this time." : `You said: “${first}”`;
  const known: Message = { role: "system", parts: [{ type: "text", text: request.system }] };
  // Files and excerpts that were sent with the question are read like what was said before it.
  const text =
    last === undefined
      ? ""
      : textOf(last)
          .replace(said, "")
          .replaceAll(/^- m\d+ \w+: /gm, "");
  const beside: Message = { role: "user", parts: [{ type: "text", text }] };
  const answer = answerFromContext(said, [known, ...request.messages.slice(0, Math.max(0, at)), beside]);
  if (answer !== undefined) return `${heard} ${answer}\n\n${footer(request)}`;
  const earlier = request.messages.find((message) => message.role === "user" && questionOf(message) !== said);
  const start = earlier === undefined ? undefined : pickSentences(questionOf(earlier), 1)[0];
  const memory = start === undefined ? "" : ` The first thing I can still see is: “${start}”`;
  return `${heard}${memory}\n\n${footer(request)}`;
}

function footer(request: DemoRequest): string {
  const share = Math.round((100 * request.inputTokens) / request.window);
  const { length } = request.messages;
  return (
    `I am Midfold's offline demo model, so this is not a real answer. ${length} ${length === 1 ? "message" : "messages"} and ` +
    `${request.inputTokens} tokens reached me, ${share}% of my ${request.window}-token window. Set an API key to talk to a real model.`
  );
}

const maxSentence = 200;

/** The first sentences of a text that say something, each shortened to a line. */
function pickSentences(text: string, count: number): string[] {
  const found: string[] = [];
  for (const line of text.slice(0, 4000).toWellFormed().split(/\r?\n/)) {
    for (const sentence of line.split(/(?<=[.!?。！？])\s+/)) {
      const words = sentence.replace(/\s+/g, " ").trim();
      if (!/[\p{L}\p{N}]{2}/u.test(words) || words.startsWith("<")) continue;
      found.push(shorten(words));
      if (found.length === count) return found;
    }
  }
  return found;
}

function shorten(words: string): string {
  if (words.length <= maxSentence) return words;
  return `${Array.from(words.slice(0, maxSentence).toWellFormed()).slice(0, -1).join("")}…`;
}

const months = "january|february|march|april|may|june|july|august|september|october|november|december";
const dates = new RegExp(
  `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${months})\\b|\\b(?:${months}) \\d{1,2}\\b|\\d{1,2}月\\d{1,2}日`,
  "gi",
);
const money = /(?:[€$£]\s?\d[\d.,]*\d|\d[\d.,]*\s?(?:€|euros?|dollars?|usd|eur)\b)/gi;
const addresses = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
const numbers = /\b\d[\d.,]*\b/g;

/** What a question asks for, by its words, and the pattern of such an answer. */
const wanted: readonly { readonly asks: RegExp; readonly pattern: RegExp }[] = [
  { asks: /\b(?:date|when|which day|what day|deadline)\b|日期|哪天|什么时候/i, pattern: dates },
  { asks: /\b(?:cost|price|how much|budget|pay|euros?|dollars?)\b|多少钱|价格/i, pattern: money },
  { asks: /\b(?:e-?mail|mail address)\b/i, pattern: addresses },
  { asks: /\b(?:how many|how long|number|percent)\b|多少/i, pattern: numbers },
];
const decided = /\b(?:agree|decid|settl|chose|choos|plan)/i;
const decision = /\b(?:agreed|decided|it is|has to be|must be|will be|let's|chosen|settled|changed to)\b/i;
const longest = 220;
const ownMark = "offline demo model";

/**
 * The sentence of the conversation that shares most rare words with the question and contains the kind of value asked
 * for, newer ones first. Undefined when none fits. It only quotes and never invents.
 */
function answerFromContext(question: string, messages: readonly Message[]): string | undefined {
  if (!/[?？]/.test(question)) return undefined;
  const pattern = wanted.find(({ asks }) => asks.test(question))?.pattern;
  const terms = termsOf(question);
  const sentences = messages.flatMap((message) => {
    const text = textOf(message);
    // The demo's own answers are no source; a summary may contain some of them beside what others said.
    if (message.role === "assistant" && text.includes(ownMark)) return [];
    return sentencesOf(text).filter((sentence) => !sentence.includes(ownMark) && !sentence.includes(question));
  });
  const often = countValues(sentences, pattern);
  let best: { readonly text: string; readonly value: string | undefined; readonly score: number } | undefined;
  sentences.forEach((text, index) => {
    const value = pattern === undefined ? undefined : mostSaid(text.match(pattern) ?? [], often);
    if (pattern !== undefined && value === undefined) return;
    const own = termsOf(text);
    const shared = [...terms].filter((term) => own.has(term)).length;
    const score =
      2 * shared +
      (value === undefined ? 0 : 1 + (often.get(value.toLowerCase()) ?? 0)) +
      (decided.test(question) && decision.test(text) ? 2 : 0) +
      index / sentences.length;
    if (score > (best?.score ?? 0)) best = { text, value, score };
  });
  // A single shared word without a value is a coincidence.
  if (best === undefined || best.score < (best.value === undefined ? 4 : 2)) return undefined;
  const quote = best.text.length <= longest ? best.text : `${best.text.slice(0, longest).trimEnd()}…`;
  return `${best.value === undefined ? "" : `**${best.value}**. `}It was said: “${quote}”`;
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** Long words are compared by their beginning: "shipping" and "shipped" are the same. */
const termsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.slice(0, 5)));

function countValues(sentences: readonly string[], pattern: RegExp | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (pattern === undefined) return counts;
  for (const text of sentences) {
    for (const value of text.match(pattern) ?? [])
      counts.set(value.toLowerCase(), (counts.get(value.toLowerCase()) ?? 0) + 1);
  }
  return counts;
}

function mostSaid(values: readonly string[], often: ReadonlyMap<string, number>): string | undefined {
  return values.toSorted((a, b) => (often.get(b.toLowerCase()) ?? 0) - (often.get(a.toLowerCase()) ?? 0))[0];
}

const maxDepth = 6;

/** A value that a JSON schema accepts, with the words of the user where text is wanted. */
function fillSchema(schema: unknown, words: string, depth = 0): unknown {
  if (!isRecord(schema) || depth > maxDepth) return {};
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const union of ["anyOf", "oneOf", "allOf"]) {
    const branches = schema[union];
    if (Array.isArray(branches)) return fillSchema(branches[0], words, depth + 1);
  }
  const declared = schema.type;
  switch (Array.isArray(declared) ? declared[0] : declared) {
    case "string":
      return argumentFrom(words);
    case "integer":
    case "number":
      return Number(/\d+/.exec(words)?.[0] ?? schema.minimum ?? 1);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return [fillSchema(schema.items, words, depth + 1)];
    default:
      return fillObject(schema, words, depth);
  }
}

function fillObject(schema: Record<string, unknown>, words: string, depth: number): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(properties).slice(0, 1);
  const filled: [string, unknown][] = [];
  for (const name of required) {
    if (typeof name === "string")
      filled.push([name, fillSchema(properties[name] ?? { type: "string" }, words, depth + 1)]);
  }
  return Object.fromEntries(filled);
}

/** What stands in quotes or back-ticks is most likely meant as the argument. */
function argumentFrom(words: string): string {
  const quoted = /[`"“']([^`"”']{1,400})[`"”']/.exec(words)?.[1];
  return quoted ?? words.split("\n")[0]?.trim().slice(0, 200).toWellFormed() ?? "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
