import { digest } from "../digest/digest.ts";
import { takeFrames } from "../digest/take-frames.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { Summarizer } from "./summarizer.ts";
import { sectionHeadings } from "./templates.ts";

/**
 * A summarizer that needs no key and no network: it picks the sentences that carry most and sorts them under the
 * headings of the chat's summary template. Same messages, same text.
 *
 * @example
 * const { messages: fitted } = await fold(messages, { preset: "chat", summarizer: createExtractiveSummarizer(counter) });
 */
export function createExtractiveSummarizer(counter: TokenCounter): Summarizer {
  return {
    name: "extractive",
    async summarize(request, signal) {
      signal?.throwIfAborted();
      const { messages, previous, maxTokens, instructions } = request;
      const text = summarizeByExtraction(messages, { counter, maxTokens, previous, instructions });
      return { text, finish: "complete", model: "extractive" };
    },
  };
}

interface ExtractionOptions {
  readonly counter: TokenCounter;
  readonly maxTokens: number;
  readonly previous?: string | undefined;
  /** What to look out for. */
  readonly instructions?: string | undefined;
}

type Heading = (typeof sectionHeadings)[number];

interface Line {
  readonly heading: Heading;
  readonly text: string;
}

/** What an earlier summary may take of the room, and more where little came since; its oldest lines go first. */
const earlierShare = 0.55;
/** What new messages need of their own size, and what they get of the room at least. */
const newShare = 1 / 6;
const leastForNew = 0.2;
const headingTokens = 8;

const decided =
  /(?<!\p{L})(?:decided|agreed|chose|chosen|will use|went with|fixed|resolved|completed|created|updated|cancelled|booked|confirmed|implemented|changed|removed|added|done|successfully|beschlossen|erledigt|décidé|terminé|decidido|hecho|решили|готово)(?!\p{L})|已经|决定|完成|已为|決定|しました/iu;
const pending =
  /(?<!\p{L})(?:todo|to do|pending|open question|next step|still need|not yet|remaining|offen|noch nicht|reste à|pendiente)(?!\p{L})|待办|尚未|未完了/iu;

/** The digest under the headings of the general template: a summary made of sentences that were really said. */
function summarizeByExtraction(messages: readonly Message[], options: ExtractionOptions): string {
  const { counter, maxTokens, instructions } = options;
  const earlier = parseHeadings(options.previous ?? "");
  const previous = earlier.length === 0 ? options.previous : undefined;
  const { rest } = takeFrames(messages, undefined);
  const said = counter.countMessages(rest);
  const wanted = Math.max(Math.min(said, maxTokens * leastForNew), said * newShare);
  const forNew = Math.min(maxTokens * (1 - earlierShare), wanted);
  const kept = newest(earlier, maxTokens - forNew, counter);
  let room = maxTokens - sizeOf(kept, counter) - headingTokens;
  for (let attempt = 0; attempt < 30 && room > 0; attempt++) {
    const { items } = digest(rest, {
      counter,
      maxTokens: room,
      ...(previous !== undefined && { previous }),
      ...(instructions !== undefined && { question: instructions }),
    });
    const opening = items.find((item) => item.lead === "user" || item.text.startsWith(openingMark));
    const lines = items.map((item): Line => {
      const last = item.message !== undefined && item.message >= rest.length - 2;
      return {
        heading: item === opening && earlier.length === 0 ? "Context" : headingOf(item, last),
        text: lineOf(item),
      };
    });
    const text = render([...kept, ...lines]);
    const over = counter.count(text) - maxTokens;
    if (over <= 0) return text;
    room -= over + 4;
  }
  return render(kept);
}

const requiredMark = "The user required: ";
const openingMark = "task: ";

type Item = ReturnType<typeof digest>["items"][number];

function lineOf({ section, text, lead }: Item): string {
  if (section === "rules") return `${requiredMark}"${text}"`;
  if (text.startsWith(openingMark)) return `The user: ${text.slice(openingMark.length)}`;
  if (lead === "user") return `The user: ${text}`;
  return lead === undefined || lead === "assistant" ? text : `${lead}: ${text}`;
}

function headingOf({ section, text, lead }: Item, last: boolean): Heading {
  if (section === "state") return "Technical Details";
  if (section !== "log") return "Key Points";
  if (lead !== "user" && lead !== "assistant") return "Technical Details";
  if (pending.test(text) || (last && /[?？]$/.test(text))) return "Unresolved Questions";
  if (lead === "assistant" && (last || decided.test(text))) return "Decisions and Outcomes";
  return "Key Points";
}

/** The user's own words may take this share of an earlier summary before they go as the others do. */
const ownShare = 0.5;

/** What the user required stays. Of the rest the oldest lines go, and those in the user's own words after the others. */
function newest(lines: readonly Line[], room: number, counter: TokenCounter): Line[] {
  let kept = [...lines];
  const isOwn = ({ text }: Line) => /^(?:The )?user: /.test(text);
  const mayGo = ({ text }: Line) => !text.startsWith(requiredMark);
  while (sizeOf(kept, counter) > room) {
    const spared = sizeOf(kept.filter(isOwn), counter) <= room * ownShare;
    const gone = kept.find((line) => mayGo(line) && !(spared && isOwn(line))) ?? kept.find(mayGo);
    if (gone === undefined) break;
    kept = kept.filter((line) => line !== gone);
  }
  return kept;
}

function sizeOf(lines: readonly Line[], counter: TokenCounter): number {
  return lines.length === 0 ? 0 : counter.count(render(lines));
}

function render(lines: readonly Line[]): string {
  const blocks: string[] = [];
  for (const heading of sectionHeadings) {
    const own = lines.filter((line) => line.heading === heading);
    if (own.length > 0) blocks.push([`## ${heading}`, ...own.map((line) => `- ${line.text}`)].join("\n"));
  }
  return blocks.join("\n\n");
}

/** The lines of an earlier summary under the same headings; none when it has no such headings. */
function parseHeadings(text: string): Line[] {
  const lines: Line[] = [];
  let heading: Heading | undefined;
  for (const line of text.split("\n")) {
    const title = sectionHeadings.find((name) => line.trim() === `## ${name}`);
    if (title !== undefined) heading = title;
    else if (heading !== undefined && line.trim() !== "") {
      lines.push({ heading, text: line.replace(/^\s*[-*]\s+/, "") });
    }
  }
  return lines;
}
