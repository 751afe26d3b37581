import { type Message, MidfoldError, type Part, type ReasoningPart, type ToolResultPart } from "@midfold/core";
import type { ToolNames } from "../protocols/protocol.ts";
import type { UpstreamTraits } from "../traits/upstream-traits.ts";
import { withoutProofs } from "./call-proofs.ts";
import { describeFile, describeHosted, describeImage, describeOther } from "./describe-part.ts";
import { dropBeforeCompaction } from "./drop-before-compaction.ts";
import { fitName } from "./fit-name.ts";
import { fitToolResult } from "./fit-tool-result.ts";
import { mergeAssistants, mergeUsers } from "./merge-neighbours.ts";
import { pairTools } from "./pair-tools.ts";
import { placeSystemTurns } from "./place-system-turns.ts";
import { stripSources } from "./strip-sources.ts";

/** What one protocol can carry, as far as its providers do not differ. */
export interface FitOptions {
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
}

/** Rewrites a conversation so that another protocol can say it: nothing here depends on which protocol that is. */
export function fitMessages(messages: readonly Message[], options: FitOptions): Message[] {
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
      if (text === undefined) options.drop(part.kind);
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
