import type { ImagePart } from "../message/part.ts";

type Detail = NonNullable<ImagePart["detail"]>;

const details: ReadonlySet<unknown> = new Set<Detail>(["low", "high", "auto", "original"]);

/** The `detail` field of an image, ready to spread; empty when it is absent or none OpenAI knows. */
export function imageDetail(detail: unknown): { readonly detail?: Detail } {
  return details.has(detail) ? { detail: detail as Detail } : {};
}
