import { grouped } from "../clip/clip-text.ts";
import { parseLines } from "../digest/lines.ts";
import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { finishFold } from "./finish-fold.ts";
import type { FoldResult } from "./fold-options.ts";
import { isSession, reservedForRecall, shareOfTalk } from "./recall-room.ts";
import { type FoldJob, startFold } from "./start-fold.ts";
import type { SpanText } from "./write-frames.ts";

/** How often a fold is planned again with less room, because what cannot be clipped made it come out too large. */
const attempts = 14;

/** Writes and finishes a fold, and says where the last words of the user were clipped. */
export function attemptFold<Wire>(job: FoldJob<Wire>, write: (job: FoldJob<Wire>) => SpanText[]): FoldResult<Wire> {
  const result = settle(job, write);
  const { conversation, view } = job;
  const { counter, limits, weights } = conversation;
  const at = view.lastUserMessage;
  const clip = result.state?.edits.find((edit) => edit.do === "parts" && edit.at === at);
  if (clip?.do === "parts") {
    const old = conversation.messages[at]!.parts;
    const parts = clip.parts.map((part) => (typeof part === "number" ? old[part]! : part));
    const tokens = weights[at]!;
    const sent = counter.countMessage({ role: "user", parts });
    conversation.warn({
      code: "last-message-clipped",
      message:
        `The last user message has ${grouped(tokens)} tokens, with a budget of ${grouped(limits.budget)} for the whole ` +
        `request. Its middle was left out: ${grouped(sent)} are sent.`,
      details: { message: at, tokens, sent },
    });
  }
  return result;
}

/** Plans again with less room while the outcome is over the budget. */
function settle<Wire>(job: FoldJob<Wire>, write: (job: FoldJob<Wire>) => SpanText[]): FoldResult<Wire> {
  const { conversation, previous } = job;
  const { budget } = conversation.limits;
  let allowed = budget;
  let current = job;
  for (let attempt = 1; ; attempt++) {
    const texts = write(current);
    const finished = finishFold(current, texts);
    if ("result" in finished) {
      return (
        (attempt > 1 ? undefined : withLargerTail(current, texts, write)) ??
        withNothingLeft(current, texts, finished.result, write)
      );
    }
    const less = allowed - finished.over * 1.2 - 8;
    allowed = Math.floor(attempt < 4 ? less : Math.min(less, allowed * 0.7));
    const next = attempt < attempts && allowed > 0 ? tryStart(conversation, previous, allowed) : undefined;
    if (next === undefined) {
      throw new MidfoldError(
        "CONTEXT_OVERFLOW",
        `The conversation cannot be brought under ${budget} tokens: ${finished.over} too many remain in parts that ` +
          "cannot be clipped, such as images, tool arguments and unknown blocks.",
        { details: { budget, over: finished.over } },
      );
    }
    current = next;
  }
}

/** A frame that uses less than this share of its room leaves the rest to the tail. */
const fullFrame = 0.95;
/** How often the tail is made larger: each time the frame has less to tell, and leaves more. */
const mostLarger = 3;
/** A frame over fewer messages may be a little longer, and its message costs a few tokens beside its text. */
const frameMargin = 48;

/**
 * The same fold planned with no more room held back for the frame than it needs, where that leaves room for more of the
 * newest messages. What they tell leaves the frame, which gets smaller by its share of them.
 */
function withLargerTail<Wire>(
  { conversation, previous, plan, sharesOf }: FoldJob<Wire>,
  texts: readonly SpanText[],
  write: (job: FoldJob<Wire>) => SpanText[],
  times = mostLarger,
): FoldResult<Wire> | undefined {
  const [span, ...others] = plan.spans;
  const [text] = texts;
  if (times === 0 || span === undefined || text === undefined || others.length > 0 || text.by !== "digest") {
    return undefined;
  }
  const { counter } = conversation;
  const used = counter.count(text.frame) + frameMargin;
  const worth = times < mostLarger ? 1 : noteWorth(conversation, span.maxTokens);
  if (used * worth >= span.maxTokens * fullFrame || conversation.preset.scope === "assistant-spans") return undefined;
  const { rules, unverified, log } = parseLines(text.text);
  const bound = [...rules, ...unverified].reduce((sum, line) => sum + counter.count(line) + 4, 0);
  const share = counter.count(log.join("\n")) / span.tokens;
  const joining = (span.maxTokens - used) / (1 - share);
  const room = {
    frameRoom: Math.ceil(Math.max(bound, worth * (used - share * joining))),
    maxFrameTokens: used,
  };
  let allowed = conversation.limits.budget;
  // A list that begins with the assistant gets a line of the user before it, which may be too much by a few tokens.
  for (let attempt = 0; attempt < 2; attempt++) {
    const started = tryStart(conversation, previous, allowed, room);
    // Where the tail took all the room, what is folded would go without a note of it.
    if (started === undefined || (started.plan.spans.length === 0 && (worth === 1 || bound > 0))) return undefined;
    const next = { ...started, sharesOf: sharesOf ?? span.maxTokens };
    const larger = write(next);
    const finished = finishFold(next, larger);
    if ("result" in finished) {
      return withLargerTail(next, larger, write, times - 1) ?? withNothingLeft(next, larger, finished.result, write);
    }
    allowed -= finished.over;
  }
  return undefined;
}

/** Whoever fixes the size of a note has said what it is worth. */
function fixesNote({ preset, options }: FoldJob<unknown>["conversation"]): boolean {
  return preset.maxFrameTokens !== undefined || options.rungs !== undefined;
}

/** Below the first size a note on plain talk is worth no more than its rules; from the second on it is worth its room. */
const smallNote = 250;
const roomyNote = 500;

/**
 * How much of its room a note is worth against the newest messages, 0 to 1. What is said next mostly bears on what was just
 * said, and a note of a few lines that left it out ("which of these?" without the list) kept less of what was needed than a
 * sliding window. Results of tools are too long for that: of them a note tells more also in little room.
 */
function noteWorth(conversation: FoldJob<unknown>["conversation"], room: number): number {
  if (fixesNote(conversation)) return 1;
  const little = 1 - Math.min(1, Math.max(0, (room - smallNote) / (roomyNote - smallNote)));
  return 1 - little * shareOfTalk(conversation) ** 2;
}

/**
 * What is left over goes to the newest message that was clipped, else to the note. In a session it is left for the next call,
 * which would have to fold again.
 */
function withNothingLeft<Wire>(
  job: FoldJob<Wire>,
  texts: readonly SpanText[],
  result: FoldResult<Wire>,
  write: (job: FoldJob<Wire>) => SpanText[],
): FoldResult<Wire> {
  if (isSession(job.conversation.options)) return result;
  const fuller = withFullerClip(job, texts, result);
  return fuller === result ? withFullerNote(job, texts, result, write) : fuller;
}

/** A rest of less than this share of the budget, or than so many tokens, is not worth writing the note again. */
const restShare = 0.015;
const leastRest = 6;
/** Nor is it in a larger budget: there the share is mostly smaller, and long conversations take a tenth of a second to read. */
const largestRewritten = 4000;

/** A note that took its room keeps some for lines beside it that were not needed, and for what the estimates were wrong by. */
function withFullerNote<Wire>(
  job: FoldJob<Wire>,
  [text]: readonly SpanText[],
  result: FoldResult<Wire>,
  write: (job: FoldJob<Wire>) => SpanText[],
): FoldResult<Wire> {
  const { plan, conversation } = job;
  const [span, ...others] = plan.spans;
  const target = plan.tokens.target + reservedForRecall(conversation);
  let more = target - result.tokens.after;
  const { budget } = conversation.limits;
  const little = Math.max(leastRest, budget * restShare);
  if (budget > largestRewritten || fixesNote(conversation)) return result;
  if (span === undefined || others.length > 0 || text?.by !== "digest" || more < little) return result;
  for (let attempt = 0; attempt < 2 && more > 0; attempt++) {
    const next = { ...job, plan: { ...plan, spans: [{ ...span, maxTokens: span.maxTokens + more }] } };
    const finished = finishFold(next, write(next));
    const over = "over" in finished ? finished.over : finished.result.tokens.after - target;
    if (over <= 0 && "result" in finished) return finished.result;
    more -= over;
  }
  return result;
}

/** Less room than this is left as it is. */
const smallRest = 16;

/** Nothing is left out of a clipped message beside room for it. */
function withFullerClip<Wire>(
  job: FoldJob<Wire>,
  texts: readonly SpanText[],
  result: FoldResult<Wire>,
): FoldResult<Wire> {
  const { plan, view, conversation } = job;
  // What may stay of what the user answers is fixed where the preset fixes how many tokens of the newest messages do.
  const first = conversation.preset.tail.percent === undefined ? view.lastUserMessage : 0;
  const clipped = plan.cuts.findLast(
    ({ message, toTokens, note }) => !note && message >= first && toTokens < view.weights[message]!,
  );
  // What was set aside for excerpts and not used is free too: where nothing was folded, there is nothing to quote.
  const target = plan.tokens.target + reservedForRecall(conversation);
  let more = target - result.tokens.after;
  for (let attempt = 0; clipped !== undefined && more > smallRest && attempt < 2; attempt++) {
    const fuller = { ...clipped, toTokens: clipped.toTokens + more };
    const cuts = plan.cuts.map((cut) => (cut === clipped ? fuller : cut));
    const finished = finishFold({ ...job, plan: { ...plan, cuts } }, texts);
    const over = "over" in finished ? finished.over : finished.result.tokens.after - target;
    if (over <= 0 && "result" in finished) return finished.result;
    // Cuts fall on ends of lines: one token less gave the same cut, and all of the room stayed empty.
    more -= Math.max(over, smallRest / 2);
  }
  return result;
}

function tryStart<Wire>(...args: Parameters<typeof startFold<Wire>>): FoldJob<Wire> | undefined {
  try {
    return startFold(...args);
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return undefined;
    throw error;
  }
}
