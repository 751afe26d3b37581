import type { SummaryRequest } from "@midfold/core";
import { type NeutralResponse, replayResponse, sealSummary, sseHeaders, type Usage } from "@midfold/wire";
import type { Opened } from "../exchange/open-answer.ts";
import { pause, readableTokens, summarizeThrough } from "../folds/summarize-through.ts";
import type { HttpReply } from "../http/http-message.ts";
import { replyJson } from "../http/reply-json.ts";
import { bytesOf, countingRule } from "../threads/tasks.ts";
import { type Ending, noteUsage } from "./ending.ts";
import type { Gateway } from "./gateway.ts";
import { reportFold } from "./report-headers.ts";
import type { Turn } from "./turn.ts";
import { answerContext } from "./write-request.ts";

const summaryTokens = 2_000;

export interface Compaction {
  /** The summary, encrypted so that it can be part of the next request. */
  readonly sealed: string;
  readonly usage: Usage;
}

/** Summarizes a conversation with the route's own model, or as a digest when the model fails. */
export async function compactMessages(
  gateway: Gateway,
  turn: Turn,
  { withoutLast }: { readonly withoutLast: boolean },
): Promise<Compaction> {
  const { destination, identity, request, protocol } = turn;
  const summarizer = summarizeThrough(destination, identity);
  // In a thread: the history is read several times, and may be long.
  const { text, ...usage } = await gateway.threads.run(
    "compact",
    {
      bytes: bytesOf(turn),
      protocol: protocol.name,
      counting: countingRule(gateway.counterFor(destination.countAs, identity), destination.countAs),
      withoutLast,
      maxTokens: summaryTokens,
      inputTokens: readableTokens(destination),
    },
    {
      signal: request.signal,
      calls: {
        summarize: (wanted: SummaryRequest) => summarizer.summarize({ ...wanted, messages: [] }, request.signal),
        sleep: (ms: number) => pause(ms, request.signal),
      },
    },
  );
  return { sealed: sealSummary(text), usage };
}

/** Whether the request asks for a summary of itself, which its upstream cannot write. */
export function mustCompactHere({ protocol, sameProtocol, body }: Turn): boolean {
  return !sameProtocol && protocol.body.compaction?.isAsked(body.value) === true;
}

/** Whether the upstream refused a request only because it does not know this way of asking for a summary. */
export function refusedToCompact({ protocol, body }: Turn, opened: Opened): boolean {
  const { compaction } = protocol.body;
  if (opened.kind !== "failed" || opened.raw === undefined || compaction === undefined) return false;
  return compaction.isAsked(body.value) && compaction.isRefusedIn(opened.raw.text);
}

/** The answer to a request to compact its history: one item that replaces all of it. */
export async function answerWithCompaction(
  gateway: Gateway,
  turn: Turn,
  { ending, onEnd }: { readonly ending: Ending; readonly onEnd: () => void },
): Promise<HttpReply> {
  const { protocol, body } = turn;
  const { sealed, usage } = await compactMessages(gateway, turn, { withoutLast: true });
  const response: NeutralResponse = {
    parts: [{ type: "other", kind: "compaction", value: { encrypted_content: sealed } }],
    finish: "compaction",
    usage,
  };
  noteUsage(ending, usage);
  ending.status = 200;
  const context = answerContext(turn, { request: protocol.decodeRequest(body.value), estimated: usage.inputTokens });
  const headers: Record<string, string> = { ...(turn.stream ? sseHeaders : {}), ...reportFold({}) };
  if (!turn.stream) return { ...replyJson(200, protocol.encodeResponse(response, context), headers), onEnd };
  const encoder = protocol.createStreamEncoder(context);
  const frames = replayResponse(response).map((event) => encoder.push(event));
  return { status: 200, headers, body: frames.join(""), onEnd };
}
