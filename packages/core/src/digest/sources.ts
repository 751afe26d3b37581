import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import type { Speaker } from "./fact.ts";
import { pathOfCall } from "./files.ts";
import { type Frame, frameInPart, readFrame } from "./frame.ts";
import { type DigestLines, noLines, oneLine, readLogLine, type Section } from "./lines.ts";
import { readRun } from "./printed.ts";
import { bindingSentences, diffs, isOwn, looksPasted } from "./rules.ts";
import { segmentsOf } from "./segments-of.ts";

/**
 * One readable stretch of the conversation: a text somebody wrote, a block of code or output inside such a text, the
 * arguments of a call, or a result.
 */
export interface Source {
  readonly kind: "text" | "block" | "call" | "result";
  readonly by: Speaker;
  readonly text: string;
  /** Tool name, for calls and results. */
  readonly name: string | undefined;
  /** The file that a call or its result is about, by the end of its path. */
  readonly about: string | undefined;
  /** Which call a result answers: calls made side by side come before the first result. */
  readonly callId: string | undefined;
  readonly isError: boolean;
  /** Index of its message in the list; -1 for a line of an earlier digest. */
  readonly message: number;
  /** How the digest cites it: the message's place in the conversation. */
  readonly id: string | undefined;
  /** When it was said, where that is known. */
  readonly at: string | undefined;
  /** Comes from an earlier digest, piece by piece as it was chosen then. */
  readonly carried: boolean;
}

export interface Sources {
  readonly sources: readonly Source[];
  /** What frames of earlier folds say, oldest first. */
  readonly carried: DigestLines;
  readonly messages: number;
}

export interface SourcesOptions {
  /** Place of each message in the conversation, for citations. */
  readonly places?: readonly number[] | undefined;
  /** An earlier digest or summary that these messages follow; believed. */
  readonly previous?: string | undefined;
  /** Whether a frame among the messages was made by us. Rules in others are carried on as unverified. */
  readonly believes?: ((frame: Frame) => boolean) | undefined;
}

/** Everything readable in a stretch of conversation, in order. What earlier digests kept comes first, line by line. */
export function sourcesOf(messages: readonly Message[], options: SourcesOptions = {}): Sources {
  const sources: Source[] = [];
  const lines: Record<Section, string[]> = { rules: [], unverified: [], user: [], state: [], log: [] };
  const names = new Map<string, string>();
  const files = new Map<string, string | undefined>();
  const addFrame = (frame: DigestLines & Pick<Frame, "prose">, believed: boolean) => {
    // One by one: a frame of a million lines overflows the stack of a single push.
    for (const section of ["rules", "unverified", "user", "state"] as const) {
      const list = lines[section === "rules" && !believed ? "unverified" : section];
      for (const line of frame[section]) list.push(line);
    }
    for (const line of frame.log) {
      const { id, lead, about, pieces } = readLogLine(line);
      for (const piece of pieces) sources.push({ ...carried(lead, id, piece), about });
    }
    for (const { text } of splitSentences(frame.prose)) {
      if (!text.startsWith("#")) sources.push(carried("earlier", undefined, text.replace(/^[-*] /, "")));
    }
  };
  if (options.previous !== undefined && options.previous.trim() !== "") addFrame(readFrame(options.previous), true);
  const { printed, commands } = readRun(messages);
  messages.forEach((message, index) => {
    const place = options.places?.[index];
    const id = place === undefined ? undefined : `m${place}`;
    const parts = message.parts.filter((part) => {
      if (part.type === "tool-call") names.set(part.id, part.name);
      const frame = frameInPart(message, part);
      const summary = message.role === "user" && part.type === "text" && clientSummary.test(part.text);
      if (frame !== undefined) addFrame(frame, options.believes?.(frame) === true);
      else if (summary) addFrame(readSummary(part.text, sources.length === 0), true);
      return frame === undefined && !summary;
    });
    for (const { kind, by, text, name, callId, isError } of segmentsOf({ ...message, parts })) {
      if (kind === "call") files.set(callId!, endOfPath(pathOfCall(text)));
      const rest = {
        by,
        // A short call is quoted whole, with its path.
        about: kind === "result" || text.length > 160 ? files.get(callId ?? "") : undefined,
        name: name ?? (callId === undefined ? undefined : names.get(callId)),
        callId,
        isError: isError === true,
        message: index,
        id,
        at: message.at,
        carried: false,
      };
      const said = (words: string) => {
        for (const piece of splitBlocks(words, by, messages[index - 1]?.role === "assistant"))
          sources.push({ ...rest, ...piece });
      };
      const command = commands.get(index);
      if (kind !== "text") sources.push({ ...rest, kind, text });
      else if (printed.has(index)) {
        const name = commands.get(index - 1)?.name ?? "output";
        sources.push({ ...rest, kind: "result", by: "tool", text, name, callId: `m${index - 1}` });
      } else if (command !== undefined && text.length >= command.end) {
        said(text.slice(0, command.start));
        sources.push({ ...rest, kind: "call", text: command.text, name: command.name, callId: `m${index}` });
        said(text.slice(command.end));
      } else said(text);
    }
  });
  return { sources, carried: lines, messages: messages.length };
}

/** The file and its folder: enough to tell which it is, beside the list of files. A line is read back up to its first space. */
export function endOfPath(path: string | undefined): string | undefined {
  const end = path
    ?.split(/[/\\]+/)
    .slice(-2)
    .join("/");
  return end !== undefined && /^(?=.*[./])[\p{L}\p{N}_.@/~+-]{1,80}$/u.test(end) ? end : undefined;
}

/** How a client opens the summary that it sends as words of the user once its window was full. */
const clientSummary =
  /^\s*(?:<(?:state_snapshot|(?:conversation_)?summary)>|this session is being continued|another language model started|the conversation (?:history )?before this|(?:here|this|the following) is a summary of )/i;

/**
 * A model wrote it: what it says is a record, and what binds in it could not be verified. Only what it quotes of the user's
 * messages is taken as said by the user. What the task was is in it where no message stands before it.
 */
function readSummary(text: string, opens: boolean): DigestLines & Pick<Frame, "prose"> {
  const quoted = /user messages.{0,80}\n([\s\S]*?)(?:\n *(?:\d+\.|#)|$)/i.exec(text)?.[1] ?? "";
  const user = quoted
    .split(/^\s*[-*] /m)
    .map((line) => oneLine(line).replace(/^["“](.*)["”]$/, "$1"))
    .filter(isOwn);
  const task = user[0] ?? /(?:goal|request|objective|task)\b.{0,80}\n\s*(?:[-*] )?(.+)/i.exec(text)?.[1];
  return {
    ...noLines,
    rules: user.flatMap((words) => bindingSentences(words)),
    unverified: user.length > 0 ? [] : bindingSentences(text),
    user,
    state: opens && task ? [`task: ${task}`] : [],
    prose: text.slice(text.indexOf("\n")).replace(quoted, ""),
  };
}

/** Own words of a very long text stand at its ends; the middle is something pasted. */
const longText = 6000;
const ends = 1500;
/** Up to so many characters between pasted lines are the user's own words. */
const mostOwn = 8000;
/** What a program wrote into the user's message: notifications, command output, files. */
const blockTags =
  /<((?:local-)?command-\w+|bash-\w+|environment_\w+|task-notification|tool_result|file|document|attachment|untrusted)[\s>]/g;

/** Where agents run code for each other, what it printed comes as a message of the user: "exitcode: 1 (execution failed)" was told as the task. */
const programOutput = /^[^\n]{0,60}\bexit ?code: ?\d/i;

/** What a client notes of a command typed into it, around the command and what it printed. */
const clientCommand =
  /^<(?:command-message|local-command-caveat)>[\s\S]*|^<(?:local-)?command-\w+>|<\/(?:local-)?command-\w+>$/g;

/** A line that a shell begins with who and where it is. */
const prompt = "^(?:[➜❯] |[\\w.-]+@[\\w.-]+[: ].{0,99}[%$#] )";
/**
 * From the first such line to the last all is output. Between lines that begin with `$ ` alone people also write, but in
 * paragraphs of their own. At most so many lines at once: the engine notes each on its stack, which millions overflow.
 */
const terminal = new RegExp(`${prompt}(?:[\\s\\S]*${prompt})?.*|^\\$ .*(?:\n.+){0,9999}\n\\$ .*`, "gm");

/** Where code between fences, blocks between tags and what a shell wrote start and end, in order. Linear: what is not closed is looked for once. */
function findBlocks(text: string, by: Speaker): [number, number][] {
  const blocks: [number, number][] = [];
  for (let open = text.startsWith("```") ? 0 : text.indexOf("\n```"); open !== -1; ) {
    const close = text.indexOf("\n```", open + 4);
    const end = close === -1 ? text.length : close + 4;
    blocks.push([open, end]);
    open = close === -1 ? -1 : text.indexOf("\n```", end);
  }
  const unclosed = new Set<string>();
  for (const found of text.matchAll(blockTags)) {
    const tag = found[1]!;
    if (unclosed.has(tag)) continue;
    const close = text.indexOf(`</${tag}>`, found.index);
    if (close === -1) unclosed.add(tag);
    else blocks.push([found.index, close + tag.length + 3]);
  }
  for (const pattern of by === "user" ? [terminal, diffs] : [])
    for (const found of text.matchAll(pattern)) blocks.push([found.index, found.index + found[0].length]);
  return blocks.sort((x, y) => x[0] - y[0]);
}

interface TextPiece {
  readonly kind: "text" | "block";
  readonly text: string;
}

/** A text as own words and blocks, in order. */
function splitBlocks(text: string, by: Speaker, afterItself: boolean): TextPiece[] {
  if (by === "user" && programOutput.test(text)) return [{ kind: "block", text }];
  const pieces: TextPiece[] = [];
  const add = (kind: TextPiece["kind"], piece: string) => {
    if (/[^\s`]/.test(piece)) pieces.push({ kind, text: piece });
  };
  const addWords = (words: string) => {
    if (by === "assistant" && afterItself && isPage(words)) return add("block", words);
    if (by !== "user" || words.length <= longText) return add("text", words);
    // A million empty lines say no more than one.
    const lines = words.replace(/\n{3,}/g, "\n\n").split("\n");
    const own = lines.filter((line) => !looksPasted(line)).join("\n");
    if (own.length <= mostOwn) {
      add("block", lines.filter(looksPasted).join("\n"));
      add("text", own);
      return;
    }
    const head = lineBreak(words, ends);
    const tail = lineBreak(words, words.length - ends);
    add("text", words.slice(0, head));
    add("block", words.slice(head, tail));
    add("text", words.slice(tail));
  };
  let at = 0;
  if (by === "user" || text.includes("```") || text.includes("</")) {
    for (const [start, end] of findBlocks(text, by)) {
      if (start < at) continue;
      addWords(text.slice(at, start));
      add("block", text.slice(start, end).replace(clientCommand, " ").replace(fences, ""));
      at = end;
    }
  }
  addWords(text.slice(at));
  return pieces;
}

/** Quoted with its fence, a line of code opened a block in a summary shown as Markdown, and the rest of the note was code. */
const fences = /^\s*`{3,9}[\w+#-]{0,30}[ \t]*\n|\n\s{0,9}`{3,9}\s*$/g;

/**
 * A web page or a list of hits that an agent without tools printed as its own words: so long, and a link every few lines. It
 * follows on the agent's own words; an answer to the user may have as many links.
 * Told as what the assistant said, its sentences left no room for the links and figures in it.
 */
function isPage(text: string): boolean {
  return text.length >= longPage && (text.match(/https?:\/\/|\]\(/g)?.length ?? 0) >= text.length / perLink;
}

const longPage = 2500;
const perLink = 800;

/** The line break nearest after a place. */
function lineBreak(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found === -1 || found - from > 400 ? from : found + 1;
}

/** A piece of a line of an earlier digest. What a summary said before it is nobody's own words. */
function carried(lead: string, id: string | undefined, text: string): Source {
  const person = lead === "user" || lead === "assistant";
  const by: Speaker = person ? lead : lead === "earlier" ? "assistant" : "tool";
  return {
    kind: by === "tool" ? "result" : "text",
    by,
    text,
    name: person ? undefined : lead,
    about: undefined,
    callId: undefined,
    isError: false,
    message: -1,
    id,
    at: undefined,
    carried: true,
  };
}
