import { clipMessage, rulesIn } from "../clip/clip-message.ts";
import { digest } from "../digest/digest.ts";
import {
  coveredMessages,
  type Frame,
  type FrameStyle,
  frame,
  frameIsSigned,
  frameMessage,
  parseFrame,
} from "../digest/frame.ts";
import { type DigestLines, noLines, renderLines } from "../digest/lines.ts";
import { quoteHistory } from "../digest/quote-history.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import { type Message, textMessage } from "../message/message.ts";
import { turnLines } from "../message/turn-lines.ts";
import { takesTurns } from "../plan/frame-lines.ts";
import type { Span } from "../plan/plan.ts";
import { isWorkedOn } from "../plan/view.ts";
import { replyTo } from "../plan/write-edits.ts";
import { findLoss, type LossReport } from "../summary/find-loss.ts";
import { earlierFrame, type FoldJob, newMessages, spanMessages, spanPlaces } from "./start-fold.ts";

/** The text that stands for one span. An empty frame means that nothing was worth saying. */
export interface SpanText {
  /** Without the frame, ledger included: what the next summary carries on. */
  readonly text: string;
  /** As it is sent. */
  readonly frame: string;
  readonly by: "digest" | "summary";
  /** Of a summary: what the model wrote, and what was put beside it. */
  readonly prose?: string;
  readonly ledger?: Partial<DigestLines>;
  readonly model?: string;
  readonly loss?: LossReport;
}

/**
 * Up to this size a digest is made from the original messages every time, which loses least. Longer spans carry the digest
 * before them on, so that a fold costs what came since, not the whole history.
 */
const freshDigestTokens = 250_000;

/** Writes every frame without a model. */
export function writeDigests(job: FoldJob<unknown>): SpanText[] {
  return job.plan.spans.map((span) => digestSpan(job, span, spanMessages(job, span)));
}

export function digestSpan(job: FoldJob<unknown>, span: Span, messages: readonly Message[]): SpanText {
  const { counter } = job.conversation;
  const earlier = earlierFrame(job, span);
  if (earlier?.since.length === 0) return { text: earlier.text, frame: earlier.text, by: "digest" };
  const maxTokens = textRoom(job, span, messages, "digest");
  const since = span.tokens > freshDigestTokens ? newMessages(job, span) : undefined;
  const { sharesOf } = job;
  const clipped = clippedMessages(job);
  const known = [keptText(job), ...clipped.map(({ shown }) => shown)].join("\n");
  const shared = { counter, maxTokens, sharesOf, known, believes: believer(job) };
  const places = spanPlaces(job, span);
  // A request from before the span opens it; what came after counts as newest.
  const before = clipped.filter(({ place }) => place < places[0]!);
  const after = clipped.filter(({ place }) => place >= places[0]!);
  const around = <T>(list: readonly T[], of: (one: Clipped) => T) => [...before.map(of), ...list, ...after.map(of)];
  const { text } =
    since === undefined
      ? digest(
          around(messages, ({ message }) => message),
          { ...shared, places: around(places, ({ place }) => place) },
        )
      : digest(
          around(since, ({ message }) => message),
          { ...shared, previous: job.previous!.texts.join("\n") },
        );
  const written: SpanText = {
    text,
    frame: text === "" ? "" : frameText(job, span, messages, text, "digest"),
    by: "digest",
  };
  if (job.conversation.options.reportLoss !== true) return written;
  return { ...written, loss: findLoss(text, messages) };
}

/** Up to this size a frame says what it is in a few words. */
const shortFrame = 400;

function fitStyle(style: FrameStyle, span: Span): FrameStyle {
  return style === "fenced" && span.maxTokens < shortFrame ? "short" : style;
}

/** What stays in the conversation beside the frames: a digest need not say it again. */
function keptText({ view, plan, conversation }: FoldJob<unknown>): string {
  // Where every stretch has a frame of its own, each says what its stretch said.
  if (conversation.preset.scope === "assistant-spans") return "";
  const texts: string[] = [];
  const { system } = conversation.options;
  if (typeof system === "string") texts.push(system);
  plan.decisions.forEach((decision, index) => {
    if (decision.do !== "keep") return;
    const { first, last } = view.atoms[index]!;
    for (let at = first; at <= last; at++) texts.push(textOf(view.messages[at]!));
  });
  return texts.join("\n");
}

interface Clipped {
  readonly message: Message;
  readonly place: number;
  /** What is left of it in the conversation. */
  readonly shown: string;
}

/**
 * Messages that stay and are clipped: the frame tells what is cut out of them. Without this the middle of a newest result
 * that takes most of the room was nowhere.
 */
function clippedMessages({ view, plan, conversation }: FoldJob<unknown>): Clipped[] {
  // Where every stretch has a frame of its own, each says what its stretch said.
  if (conversation.preset.scope === "assistant-spans") return [];
  return plan.cuts.flatMap((cut) => {
    const { message: place, toTokens, note, withoutReasoning } = cut;
    const message = view.messages[place]!;
    if (note !== undefined || toTokens >= view.weights[place]!) return [];
    const parts = message.parts.filter(({ type }) => type !== "reasoning");
    const given = withoutReasoning === true ? { ...message, parts } : message;
    const reply = replyTo(view.messages, cut);
    const shown = textOf(clipMessage(given, toTokens, conversation.counter, { reply }));
    if (message.role !== "user") return [{ message, place, shown }];
    const told = cutFromUser(textOf(message), shown, isWorkedOn(view));
    return told === "" ? [] : [{ message: textMessage("user", told), place, shown }];
  });
}

/**
 * What is told of a clipped message of the user: the rules that its clip has no room for, and once there is work on it what is
 * exact in it, as something pasted. As the user's words the rest would read as further requests.
 */
function cutFromUser(text: string, shown: string, worked: boolean): string {
  const rules = rulesIn(text).filter((rule) => !shown.includes(rule));
  const pasted = worked ? [`\`\`\`\n${text.replaceAll("```", "")}\n\`\`\``] : [];
  return [...pasted, ...rules].join("\n");
}

const textOf = (message: Message) =>
  segmentsOf(message)
    .map(({ text }) => text)
    .join("\n");

/** A frame is believed when it bears our signature, or when the caller or an earlier fold's record has it word for word. */
export function believer({ conversation, previous }: FoldJob<unknown>): (frame: Frame) => boolean {
  const { sign, options } = conversation;
  const given = options.previous;
  const handed = given && (parseFrame(given.text)?.text ?? quoteHistory(given.text));
  return (candidate) =>
    frameIsSigned(candidate, sign) || candidate.text === handed || previous?.texts.includes(candidate.text) === true;
}

export function frameText(
  job: FoldJob<unknown>,
  span: Span,
  messages: readonly Message[],
  text: string,
  kind: "digest" | "summary",
  ledger: Partial<DigestLines> = {},
): string {
  const { preset, sign } = job.conversation;
  const { style } = preset.frame;
  if (style !== "plain") {
    return frame({
      kind,
      text,
      ledger,
      covers: coveredMessages(messages),
      since: sinceKept(job, span),
      style: fitStyle(style, span),
      sign,
    });
  }
  const exact = renderLines({ ...noLines, ...ledger });
  return exact === "" ? text : `${text}\n\n${exact}`;
}

/** How many messages of the span came after the newest message of the user that was kept in its midst. */
function sinceKept(job: FoldJob<unknown>, span: Span): number {
  const { messages } = job.view;
  const places = spanPlaces(job, span);
  for (let at = places.length - 1; at > 0; at--) {
    for (let between = places[at - 1]! + 1; between < places[at]!; between++) {
      if (messages[between]!.role === "user") return places.length - at;
    }
  }
  return 0;
}

/** What the text itself may cost, once the frame around it is paid for. */
export function textRoom(
  job: FoldJob<unknown>,
  span: Span,
  messages: readonly Message[],
  kind: "digest" | "summary",
): number {
  const { counter, preset, format, sign } = job.conversation;
  const covers = coveredMessages(messages);
  const { style } = preset.frame;
  const empty: Message =
    style === "plain"
      ? { role: preset.frame.role, parts: [] }
      : frameMessage(
          { kind, text: "", covers, since: sinceKept(job, span), style: fitStyle(style, span), sign },
          preset.frame.role,
        );
  // Beside the frame there may have to be a short line of the other side.
  const line = textMessage("assistant", turnLines.assistant);
  const further = takesTurns(format.traits, preset.frame.role) ? counter.countMessage(line) : 0;
  return Math.max(0, span.maxTokens - counter.countMessage(empty) - further);
}
