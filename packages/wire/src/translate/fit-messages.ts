import {
  type FilePart,
  type ImagePart,
  type Message,
  MidfoldError,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
} from "@midfold/core";
import type { NeutralRequest } from "../neutral/neutral-request.ts";
import type { ToolNames } from "../neutral/protocol.ts";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";
import { withoutProofs } from "./call-proofs.ts";
import { describeFile, describeHosted, describeImage, describeOther } from "./describe-part.ts";
import { dropBeforeCompaction } from "./drop-before-compaction.ts";
import { fitName } from "./fit-name.ts";
import { nameTools } from "./name-tools.ts";
import { placeSystemTurns } from "./place-system-turns.ts";

/** What one protocol can carry, as far as its providers do not differ. */
interface FitOptions {
  readonly traits: UpstreamTraits;
  readonly names: ToolNames;
  /** Which earlier reasoning travels: none, its words, words with their proofs, only what is signed or sealed. */
  readonly reasoning: "none" | "words" | "all" | "signed" | "sealed";
  /** Free-text tools exist. */
  readonly custom: boolean;
  /** Tool results may hold images and files. */
  readonly toolMedia: boolean;
  /** Tool results carry a flag that says they failed. */
  readonly errorFlag: boolean;
  readonly audio: boolean;
  /** Notes what could not be carried. */
  readonly drop: (what: string) => void;
  /** Notes content of a kind that could not be carried. */
  readonly leaveOut: (kind: string) => void;
}

export interface FittedRequest {
  readonly names: ToolNames;
  readonly messages: readonly Message[];
  /** Notes what could not be carried. */
  readonly drop: (what: string) => void;
  /** Everything that was noted so far. */
  readonly dropped: () => readonly string[];
  /** The kinds of content in the conversation that nobody here can say in other words. */
  readonly leftOut: readonly string[];
}

/** The start of every encoding: the tools' names and the messages as the other protocol can carry them. */
export function fitRequest(
  request: NeutralRequest,
  traits: UpstreamTraits,
  abilities: Omit<FitOptions, "traits" | "names" | "drop" | "leaveOut">,
): FittedRequest {
  const dropped = new Set(Object.keys(request.extra));
  const drop = (what: string) => void dropped.add(what);
  const names = nameTools(request.tools, request.messages, traits.toolName);
  const left = new Set<string>();
  const leaveOut = (kind: string) => {
    drop(kind);
    left.add(kind);
  };
  const messages = fitMessages(request.messages, { traits, names, drop, leaveOut, ...abilities });
  return { names, messages, drop, dropped: () => [...dropped], leftOut: [...left] };
}

/** Rewrites a conversation so that another protocol can say it: nothing here depends on which protocol that is. */
function fitMessages(messages: readonly Message[], options: FitOptions): Message[] {
  const { traits } = options;
  const bare = dropBeforeCompaction(messages.map(withoutProofs).map(stripSources));
  const paired = pairTools(mergeAssistants(bare), traits.maxToolCalls);
  const fitted: Message[] = [];
  let media: Part[] = [];
  for (const message of placeSystemTurns(paired, traits.laterSystem)) {
    if (message.role === "tool") {
      media.push(...pushResults(message, options, fitted));
      continue;
    }
    if (media.length > 0) fitted.push(mediaMessage(media));
    media = [];
    const parts = message.parts.flatMap((part) => fitPart(part, options));
    if (parts.length > 0) fitted.push({ ...message, parts });
  }
  if (media.length > 0) fitted.push(mediaMessage(media));
  return traits.laterSystem === "user" ? mergeUsers(fitted) : fitted;
}

function pushResults(message: Message, options: FitOptions, fitted: Message[]): Part[] {
  const media: Part[] = [];
  const results = message.parts.filter((part): part is ToolResultPart => part.type === "tool-result");
  for (const result of results) {
    const fit = fitToolResult(result, options);
    fitted.push({ role: "tool", parts: [fit.result] });
    media.push(...fit.media.flatMap((part) => fitPart(part, options)));
  }
  return media;
}

/** What a tool returned and its message cannot hold: it follows when all results have been given. */
function mediaMessage(media: readonly Part[]): Message {
  return { role: "user", parts: [{ type: "text", text: "[Attachments of the tool results above]" }, ...media] };
}

function fitPart(part: Part, options: FitOptions): readonly Part[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [part];
    case "image":
      if (!options.traits.images) return [describeImage(part)];
      if (part.data === undefined && part.url === undefined) throw notPortable("an image", part.fileId);
      return [part];
    case "file":
      return fitFile(part, options);
    case "reasoning":
      return fitReasoning(part, options);
    case "tool-call": {
      if (part.hosted === true) return [{ type: "text", text: describeHosted(part) }];
      const name = options.names.toUpstream.get(part.name) ?? part.name;
      const id = fitName(part.id, options.traits.toolId);
      if (part.custom !== true || options.custom) return [{ ...part, id, name, input: part.input || "{}" }];
      return [{ type: "tool-call", id, name, input: JSON.stringify({ input: part.input }) }];
    }
    case "tool-result":
      return [{ type: "text", text: describeHosted(part) }];
    case "other": {
      const text = describeOther(part);
      if (text === undefined) options.leaveOut(part.kind);
      return text === undefined || text === "" ? [] : [{ type: "text", text }];
    }
  }
}

function fitFile(part: Part & { type: "file" }, options: FitOptions): readonly Part[] {
  if (part.mediaType?.startsWith("audio/") === true) {
    if (options.audio) return [part];
    throw new MidfoldError("UNSUPPORTED_FEATURE", "This upstream's protocol does not take audio input.");
  }
  if (part.text !== undefined) return [describeFile(part)];
  if (part.data !== undefined && options.traits.files) return [{ ...part, name: part.name ?? "document" }];
  if (part.fileId !== undefined && part.url === undefined) throw notPortable("a file", part.fileId);
  return [describeFile(part)];
}

function notPortable(what: string, fileId: string | undefined): MidfoldError {
  return new MidfoldError(
    "UNSUPPORTED_FEATURE",
    `The conversation refers to ${what} stored at another provider (${fileId ?? "no data"}); send its data or a URL instead.`,
  );
}

function fitReasoning(part: ReasoningPart, { reasoning, drop }: FitOptions): readonly Part[] {
  const { text, signature, opaque } = part;
  if (reasoning === "words" && text !== "") return [{ type: "reasoning", text }];
  if (reasoning === "all") return [part];
  if (reasoning === "signed" && (signature !== undefined || (opaque !== undefined && text === ""))) return [part];
  if (reasoning === "sealed" && opaque !== undefined) return [part];
  drop("thinking");
  return [];
}

interface FitToolResultOptions {
  readonly traits: UpstreamTraits;
  readonly custom: boolean;
  readonly toolMedia: boolean;
  /** Results carry a flag that says they failed. */
  readonly errorFlag: boolean;
  readonly leaveOut: (kind: string) => void;
}

interface FittedToolResult {
  readonly result: ToolResultPart;
  /** Images and files that the result itself cannot hold. */
  readonly media: readonly (ImagePart | FilePart)[];
}

/** A tool result as another protocol can carry it: one text, with images inside or set aside. */
function fitToolResult(part: ToolResultPart, options: FitToolResultOptions): FittedToolResult {
  const texts: string[] = [];
  const media: (ImagePart | FilePart)[] = [];
  for (const content of part.content) {
    if (content.type === "text") texts.push(content.text);
    else if (content.type === "other") {
      const text = describeOther(content);
      if (text === undefined) options.leaveOut(content.kind);
      else texts.push(text);
    } else if (content.type === "file" && content.text !== undefined) texts.push(content.text);
    else {
      if (!options.toolMedia) texts.push(`[${content.type === "image" ? "image" : (content.name ?? "file")}]`);
      media.push(content);
    }
  }
  const said = texts.filter((text) => text !== "").join("\n");
  // Protocols without an error flag carry the failure in the words, where no model misses it.
  const text = part.isError === true && !options.errorFlag && !said.startsWith("Error:") ? `Error: ${said}` : said;
  const inside = options.toolMedia ? media : [];
  const callId = fitName(part.callId, options.traits.toolId);
  const { custom: _, hosted: __, ...rest } = part;
  const content = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...inside];
  const result: ToolResultPart = { ...rest, callId, content };
  return {
    result: part.custom === true && options.custom ? { ...result, custom: true } : result,
    media: options.toolMedia ? [] : media,
  };
}

/** Joins assistant messages that stand next to each other: protocols of items spread one turn over several. */
function mergeAssistants(messages: readonly Message[]): Message[] {
  return mergeNeighbours(messages, (message) => message.role === "assistant");
}

/** Joins user messages that stand next to each other. */
function mergeUsers(messages: readonly Message[]): Message[] {
  return mergeNeighbours(messages, (message) => message.role === "user");
}

function mergeNeighbours(messages: readonly Message[], joins: (message: Message) => boolean): Message[] {
  const merged: Message[] = [];
  // Parts are collected in place, so that a long run of neighbours costs linear time.
  let open: Part[] | undefined;
  for (const message of messages) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      open !== undefined &&
      joins(message) &&
      last.role === message.role &&
      last.name === message.name
    ) {
      for (const part of message.parts) open.push(part);
      continue;
    }
    if (!joins(message)) {
      merged.push(message);
      open = undefined;
      continue;
    }
    open = [...message.parts];
    merged.push({ ...message, parts: open });
  }
  return merged;
}

/** The message without any memory of the wire it came from: blocks of one protocol mean nothing in another. */
function stripSources(message: Message): Message {
  const { source: _, parts, ...rest } = message;
  return { ...rest, parts: parts.map(stripPart) };
}

function stripPart(part: Part): Part {
  const { source: _, ...rest } = part;
  const bare = rest as Part;
  if (bare.type !== "tool-result") return bare;
  return { ...bare, content: bare.content.map(stripPart) as ToolResultPart["content"] };
}

/** What stands for the result of a call that never got one. */
export const missingOutput = "[no output]";

/**
 * Puts the result of every tool call right behind the message that made it, in the order of the calls. A call without
 * a result gets a stand-in, a second result replaces the first, and a result without a call becomes words of the user.
 * What else was said before the results arrived follows them. A message with more calls than allowed is split.
 */
function pairTools(messages: readonly Message[], maxCalls: number): Message[] {
  const paired: Message[] = [];
  let open: Exchange | undefined;
  for (const message of messages) {
    const calls = message.role === "assistant" ? callsOf(message) : [];
    if (calls.length > 0) {
      close(open, maxCalls, paired);
      open = { message, calls, results: new Map(), rest: [] };
      for (const call of calls) open.results.set(call.id, undefined);
      continue;
    }
    const rest = takeResults(message, open);
    if (rest === undefined) continue;
    if (open === undefined) paired.push(rest);
    else open.rest.push(rest);
  }
  close(open, maxCalls, paired);
  return paired;
}

interface Exchange {
  readonly message: Message;
  readonly calls: readonly ToolCallPart[];
  readonly results: Map<string, ToolResultPart | undefined>;
  readonly rest: Message[];
}

function callsOf(message: Message): ToolCallPart[] {
  return message.parts.filter((part): part is ToolCallPart => part.type === "tool-call" && part.hosted !== true);
}

/** The message without the results that answer an open call; undefined when nothing is left of it. */
function takeResults(message: Message, open: Exchange | undefined): Message | undefined {
  if (!message.parts.some((part) => part.type === "tool-result" && part.hosted !== true)) return message;
  const kept: Part[] = [];
  for (const part of message.parts) {
    if (part.type !== "tool-result" || part.hosted === true) kept.push(part);
    else if (open?.results.has(part.callId)) open.results.set(part.callId, part);
    else kept.push(...orphanAsWords(part));
  }
  if (kept.length === 0) return undefined;
  return { ...message, role: message.role === "tool" ? "user" : message.role, parts: kept };
}

function orphanAsWords(result: ToolResultPart): Part[] {
  const label = `[Result of ${result.name ?? "a tool"}, whose call is no longer part of the conversation]`;
  return [{ type: "text", text: label }, ...result.content];
}

function close(exchange: Exchange | undefined, maxCalls: number, paired: Message[]): void {
  if (exchange === undefined) return;
  const { message, calls, results, rest } = exchange;
  for (let from = 0; from < calls.length; from += maxCalls) {
    const batch = calls.slice(from, from + maxCalls);
    paired.push(calls.length <= maxCalls ? message : { ...message, parts: batchParts(message, calls, from, maxCalls) });
    for (const call of batch) {
      const result = results.get(call.id) ?? missingResult(call);
      paired.push({ role: "tool", parts: [result.name === undefined ? { ...result, name: call.name } : result] });
    }
  }
  for (const left of rest) paired.push(left);
}

function batchParts(message: Message, calls: readonly ToolCallPart[], from: number, maxCalls: number): Part[] {
  const batch = new Set<Part>(calls.slice(from, from + maxCalls));
  const all = new Set<Part>(calls);
  return message.parts.filter((part) => (all.has(part) ? batch.has(part) : from === 0));
}

function missingResult(call: ToolCallPart): ToolResultPart {
  const result = { type: "tool-result", callId: call.id, content: [{ type: "text", text: missingOutput }] } as const;
  return call.custom === true ? { ...result, custom: true } : result;
}
