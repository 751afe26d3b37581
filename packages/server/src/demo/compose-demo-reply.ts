import { type Message, type Part, type ToolDefinition, textOf } from "@midfold/core";
import { answerFromContext } from "./answer-from-context.ts";
import { fillSchema } from "./fill-schema.ts";
import { pickSentences } from "./pick-sentences.ts";

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
 * What the built-in model says. It understands nothing, but is useful offline: it answers in the shape clients expect,
 * calls tools when told to, reads their results back, sums up when asked, and shows how much of the conversation reached
 * it. The same request always gets the same reply.
 */
export function composeDemoReply(request: DemoRequest): DemoReply {
  const last = request.messages.at(-1);
  const results = last?.parts.filter((part) => part.type === "tool-result") ?? [];
  if (results.length > 0) return { text: readBack(results, request), calls: [] };
  const said = lastWords(request.messages);
  if (asksForSummary.test(said)) return { text: summarise(request, said), calls: [] };
  const tool = chooseTool(said, request.tools);
  if (tool !== undefined) {
    return {
      text: `I will use ${tool.name} for that.`,
      calls: [{ name: tool.name, input: JSON.stringify(fillSchema(tool.schema, said)) }],
    };
  }
  return { text: converse(said, request), calls: [] };
}

/** What was said last; some agents put instructions of their own, as system turns, after it. */
function lastWords(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role !== "system") ?? messages.at(-1);
  return last === undefined ? "" : wordsOf(last);
}

/** What a person wrote, without what an agent wrote into it between tags. */
function wordsOf(message: Message): string {
  const text = textOf(message);
  return text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim() || text;
}

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

function summarise(request: DemoRequest, said: string): string {
  const lines: string[] = [];
  for (const message of request.messages.slice(0, -1)) {
    const [first] = pickSentences(textOf(message), 1);
    if (first === undefined) continue;
    lines.push(`- ${message.role === "user" ? "The user said" : "The assistant said"}: ${first}`);
  }
  // A long history keeps its start and its end; what lies between is what a summary may lose.
  const kept =
    lines.length <= 24 ? lines : [...lines.slice(0, 8), `- (${lines.length - 24} more)`, ...lines.slice(-16)];
  const body = kept.length > 0 ? kept.join("\n") : `- ${pickSentences(said, 3).join(" ")}`;
  return /<summary>/i.test(said) ? `<summary>\n${body}\n</summary>` : body;
}

function converse(said: string, request: DemoRequest): string {
  const [first] = pickSentences(said, 1);
  const heard = first === undefined ? "You sent no words this time." : `You said: “${first}”`;
  const before = request.messages.slice(
    0,
    request.messages.findLastIndex((message) => wordsOf(message) === said),
  );
  const known: Message = { role: "system", parts: [{ type: "text", text: request.system }] };
  const answer = answerFromContext(said, [known, ...before]);
  if (answer !== undefined) return `${heard} ${answer}\n\n${footer(request)}`;
  const earlier = request.messages.find((message) => message.role === "user" && wordsOf(message) !== said);
  const start = earlier === undefined ? undefined : pickSentences(wordsOf(earlier), 1)[0];
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
