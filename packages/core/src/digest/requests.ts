import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { clip, gap, joinKept, oneLine } from "./lines.ts";
import { isOwn, listMark, withId } from "./rules.ts";
import type { Source } from "./sources.ts";

export const longestRequest = 240;
const longestAnswer = 120;

/** Whether the user says something in it. */
export function isRequest({ kind, by, carried }: Source): boolean {
  return kind === "text" && by === "user" && !carried;
}

/** Where agents talk to each other the first message states the task, whoever says it. A greeting or an answer states none. */
const stating = /^#+ .{0,60}\btask\b|\b(?:your|a|this|the following) task\b/im;

/** The task that the first message states, where that is not the user's. */
export function openingTask([first]: readonly Source[]): string | undefined {
  if (first?.kind !== "text" || first.by !== "assistant" || first.carried || !stating.test(first.text))
    return undefined;
  return withId({ text: shortRequest(first.text.slice(0, 9999), longestRequest), id: first.id });
}

/** What a message of the user asks for. */
interface Request {
  readonly message: number;
  /** Empty where that is nothing. Only few of the lines are told, so each is written when it is asked for. */
  line(): string;
  /** A question of the assistant with the answer to it, and why, where the user says so. */
  readonly decision: string | undefined;
}

/** What each message of the user asks for; greetings and interruptions ask for nothing. */
export function findRequests(sources: readonly Source[]): Request[] {
  const requests = new Map<number, Pick<Source, "text" | "id"> & { readonly asked: Asked | undefined }>();
  let said = "";
  for (const source of sources) {
    const { kind, message, text, id } = source;
    if (!isRequest(source)) {
      if (kind === "text" && !source.carried) said = text;
    } else if (text.length > longestAnswer || isOwn(oneLine(text))) {
      const last = splitSentences(said.slice(-800)).slice(-4);
      const at = last.findLastIndex((one) => /[?？]\W*$/.test(one.text));
      let question = at < last.length - 3 ? undefined : last[at]?.text;
      const lead = last[at - 1]?.text;
      // "Shall I go on with it? – leave it as it is" does not say what it is.
      if (question && lead && question.length < 60 && lead.length < 160 && pointing.test(question))
        question = `${lead} ${question}`;
      // A message with pasted blocks in it is still one request.
      const before = requests.get(message) ?? {
        text: "",
        asked: question === undefined ? undefined : { question, said },
      };
      requests.set(message, { ...before, text: `${before.text}${text}\n`, id });
      said = "";
    }
  }
  const [opening] = requests.keys();
  return [...requests].map(([message, { text, id, asked }]) => {
    // "How can I help you today? – Hi, …" is no answer.
    const decision = asked === undefined || message === opening ? undefined : decisionOf(text, asked);
    const cited = (words: string) => (words === "" ? "" : withId({ text: words, id }));
    const line = () => cited(decision && text.length <= longestAnswer ? decision : shortRequest(text, longestRequest));
    return { message, line, decision: decision && cited(decision) };
  });
}

/** What the assistant asked, at the end of what it said. */
interface Asked {
  readonly question: string;
  readonly said: string;
}

/** The question with the answer that a message opens with, and the sentences behind it that say why. */
function decisionOf(text: string, { question, said }: Asked): string | undefined {
  const lines = splitSentences(text.slice(0, 2000)).map((sentence) => oneLine(sentence.text));
  const whole = text.length <= longestAnswer;
  const answer = whole ? oneLine(text) : (lines[0] ?? "");
  const number = chosen.exec(answer)?.[1];
  // "Go with option 2" says nothing without what option 2 is.
  const option = number && new RegExp(`^\\W*(?:\\p{L}+ )?${number}\\b\\W.{12,}`, "imu").exec(said)?.[0];
  if (answer.length > longestAnswer || /[?？]/.test(answer)) return undefined;
  const either = /^ok/i.test(answer) && / or /.test(question);
  const answers = whole ? isAnswer(answer) && !either : answering.test(answer);
  if (!option && !answers && !takesUp(answer, said)) return undefined;
  const why = whole ? [] : lines.slice(1).filter((line) => line.length <= longestAnswer && reasons.test(line));
  const before = option ? clip(oneLine(option).replace(listMark, ""), longestAnswer) : oneLine(question);
  return [`${before} – ${answer}`, ...why.slice(0, 2)].join(" ");
}

const pointing = /^.{0,16}$|^or\b|\b(?:this|that|these|those|it)\b/i;
const chosen = /(?:^(?=\S{1,3}(?:, |\W*$))|\boption )([a-d]|\d{1,2})\b/i;
const reasons =
  /(?<!\p{L})(?:because|since|so that|weil|damit|parce que|porque|para que|perché|потому|чтобы)(?!\p{L})|因为|ので/iu;

/** Whether most words of an answer are those of the last sentences before it: "implement both parts". */
function takesUp(answer: string, said: string): boolean {
  const words = wordsOf(answer);
  const known = new Set(termsOf(said.slice(-800)));
  return words.length > 1 && words.filter((word) => known.has(word)).length >= words.length * 0.6;
}

/** How an answer opens: with a short word and a stop, "Sure, …", "да, …"; not what goes on, "also, …", or is said in wonder. */
const answering = /^(?!(?:also|and|but|then|next|now|so|wait|first|oh|wow|jesus)\b)\p{L}{1,5}[,.!，。！](?!\.)/iu;

/**
 * Whether what the user said next answers a question: it opens as answers do, or is too short to stand alone.
 * "Shall I start? – Show me the phases again." told a consent that nobody gave.
 */
function isAnswer(text: string): boolean {
  return !/^(?:thank|\/)/i.test(text) && (answering.test(text) || (wordsOf(text).length < 2 && !/\d/.test(text)));
}

function wordsOf(text: string): string[] {
  return termsOf(text).filter((term) => !stopWords.has(term));
}

/** Words by which people ask for something. */
const asking =
  /[?？]$|(?<!\p{L})(?:please|^lets|let['’]s|your task|(?:can|could|would) you|(?:i|we)(?:['’]d| \w+)? (?:want|need|like|hop(?:e|ing))|bitte|por favor)(?!\p{L})|[请請]/iu;

const askingYou = /^(?:please|(?:can|could|would|will) you)(?!\p{L})/iu;
/** "Could you help me with that?" asks for what the sentence before it says. */
const pointsBack = /(?<!\p{L})(?:with|about|do) (?:this|that|it|these|those)(?!\p{L})/iu;
/** What opens behind a tag of its own, or under "# Task" or "ISSUE:", is what a long text is about. */
const beforeTitle = /^<[\w-]+>$|^#+ .{0,40}\btask\b|^(?:issue|task|problem|bug|challenge|title):$/i;
/** "Consider the following issue:" says nothing without the line behind it. */
const pointsAhead = /\bthe following\b.{0,200}\.$|^(?:please )?consider the following\b.{0,200}:$/i;
/** Only the first lines introduce what a text is about. */
const introduces = 2;

/** What stands between `<example>` and `</example>` shows how answers look: "I need to understand the parser" asked for nothing. */
function withoutExamples(text: string): string {
  const opening = /<(example[\w-]{0,30})>/g;
  let kept = "";
  let from = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const end = text.indexOf(`</${found[1]}>`, opening.lastIndex);
    if (end === -1) break;
    kept += `${text.slice(from, found.index)}\n`;
    from = end + found[0].length + 1;
    opening.lastIndex = from;
  }
  return kept + text.slice(from);
}

/**
 * What a text asks for in at most `most` characters: all of it where that fits, else the sentences that ask, that open it or
 * are its title, those that tell most first. Where none of them fits, the best is cut.
 */
export function shortRequest(text: string, most: number): string {
  const lines = splitSentences(withoutExamples(text).replaceAll(gap, "\n")).map((sentence) => oneLine(sentence.text));
  const titles = new Set(
    lines.filter((line, at) => {
      const before = lines[at - 1] ?? "";
      const introduced = at <= introduces && pointsAhead.test(before) && !listMark.test(line);
      return (beforeTitle.test(before) || introduced) && !/[:：]$/.test(line) && wordsOf(line).length > 2;
    }),
  );
  const own = lines
    // Greetings, and titles of a word or two, ask for nothing.
    .filter(
      (line) =>
        line.length > 11 &&
        / |[^ -~]/.test(line) &&
        (titles.has(line) || isOwn(line.replace(/^#+ (?:\S+(?: \S+)?$)?/, ""))),
    );
  let left = most;
  const whole = own.join(" ").length <= most;
  const worth = own.map((line, at) => {
    const wishes = asking.test(line) && !listMark.test(line) && !pointsAhead.test(line);
    const opens = at === 0 || line.startsWith("# ");
    const rank =
      at > 0 && wishes && pointsBack.test(line)
        ? 0.9
        : titles.has(line)
          ? 1.7
          : askingYou.test(line)
            ? 1.2
            : wishes
              ? 1.1
              : opens && !pointsAhead.test(line)
                ? 1
                : 0;
    // A title that stands there again, as the last line of an error does, says nothing more.
    if (!whole && titles.has(line) && own.indexOf(line) < at) return 0;
    return whole ? 4 : Math.min(4, wordsOf(line).length) * rank;
  });
  const ranked = own.map((_, at) => at).sort((a, b) => worth[b]! - worth[a]!);
  const kept = ranked.filter((at) => {
    const fits = worth[at]! >= 3 && own[at]!.length <= left;
    if (fits) left -= own[at]!.length + 1;
    return fits;
  });
  const told = () => joinKept(own, (_, at) => kept.includes(at));
  const [first] = ranked;
  const best = own[first!];
  // "Please do it carefully." is not what was asked for; the sentence that is has no room.
  const cut = best !== undefined && !kept.includes(first!) && left > most / 2;
  if (cut && best.length > most) return clip(best, most);
  // "How about this one?" says nothing without what follows it.
  for (let at = first!; cut && at < own.length; at++) {
    const line = own[at]!;
    if (line === own[at - 1]) continue;
    if (line.length >= left) return left < 40 ? told() : `${told()} ${clip(line, left)}`;
    kept.push(at);
    left -= line.length + 1;
  }
  return told();
}
