import type { FilePart, ImagePart, ToolResultPart } from "@midfold/core";
import type { UpstreamTraits } from "../traits/upstream-traits.ts";
import { describeOther } from "./describe-part.ts";
import { fitName } from "./fit-name.ts";

export interface FitToolResultOptions {
  readonly traits: UpstreamTraits;
  readonly custom: boolean;
  readonly toolMedia: boolean;
  /** Results carry a flag that says they failed. */
  readonly errorFlag: boolean;
  readonly drop: (what: string) => void;
}

export interface FittedToolResult {
  readonly result: ToolResultPart;
  /** Images and files that the result itself cannot hold. */
  readonly media: readonly (ImagePart | FilePart)[];
}

/** A tool result as another protocol can carry it: one text, with images inside or set aside. */
export function fitToolResult(part: ToolResultPart, options: FitToolResultOptions): FittedToolResult {
  const texts: string[] = [];
  const media: (ImagePart | FilePart)[] = [];
  for (const content of part.content) {
    if (content.type === "text") texts.push(content.text);
    else if (content.type === "other") {
      const text = describeOther(content);
      if (text === undefined) options.drop(content.kind);
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
