import type { Message } from "./message.ts";
import type { FilePart, ImagePart, Part } from "./part.ts";

/** Whether two decodings of one wire object say the same. */
export function sameMessage(a: Message, b: Message): boolean {
  return (
    a.role === b.role && a.pinned === b.pinned && a.name === b.name && a.id === b.id && sameParts(a.parts, b.parts)
  );
}

/**
 * Whether two decodings of one wire object say the same. Strings that were not touched are the same string, so this
 * compares pointers; it exists because callers change message objects in place.
 */
function sameParts(a: readonly Part[], b: readonly Part[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!samePart(a[index]!, b[index]!)) return false;
  return true;
}

function samePart(a: Part, b: Part): boolean {
  if (a.source !== b.source) return false;
  switch (a.type) {
    case "text":
      return b.type === "text" && a.text === b.text;
    case "reasoning":
      return b.type === "reasoning" && a.text === b.text && a.signature === b.signature && a.opaque === b.opaque;
    case "image":
      return b.type === "image" && sameMedia(a, b) && a.detail === b.detail;
    case "file":
      return b.type === "file" && sameMedia(a, b) && a.text === b.text && a.name === b.name && a.bytes === b.bytes;
    case "tool-call":
      return (
        b.type === "tool-call" &&
        a.id === b.id &&
        a.name === b.name &&
        a.input === b.input &&
        a.custom === b.custom &&
        a.hosted === b.hosted
      );
    case "tool-result":
      return (
        b.type === "tool-result" &&
        a.callId === b.callId &&
        a.name === b.name &&
        a.isError === b.isError &&
        a.custom === b.custom &&
        a.hosted === b.hosted &&
        sameParts(a.content, b.content)
      );
    case "other":
      // Nothing was copied out of an unknown block, so nothing tells whether it still says the same.
      return typeof a.value !== "object" && b.type === "other" && a.kind === b.kind && a.value === b.value;
  }
}

const sameMedia = (a: ImagePart | FilePart, b: ImagePart | FilePart) =>
  a.data === b.data && a.url === b.url && a.fileId === b.fileId && a.mediaType === b.mediaType;
