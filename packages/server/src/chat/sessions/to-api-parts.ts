import type { Part } from "@midfold/core";
import type { ApiPart } from "../../api/message.ts";

/** Parts without the wire objects they came from: those are for the provider, not for a browser. */
export function toApiParts(parts: readonly Part[]): ApiPart[] {
  return parts.map((part) => withoutSource(part) as ApiPart);
}

function withoutSource(part: Part): unknown {
  const { source: _, ...rest } = part;
  if (rest.type !== "tool-result") return rest;
  return { ...rest, content: rest.content.map((inner) => withoutSource(inner)) };
}
