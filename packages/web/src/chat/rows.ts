import type { Message, Summary } from "../api/types.gen.ts";
import type { FoldMarker } from "../conversation/conversation-state.ts";

export type Row =
  | { readonly kind: "message"; readonly key: string; readonly message: Message; readonly folded: boolean }
  | { readonly kind: "summary"; readonly key: string; readonly summary: Summary }
  | { readonly kind: "marker"; readonly key: string; readonly marker: FoldMarker };

/** The list as shown: messages, with the summary and the running fold at their places. */
export function toRows(
  messages: readonly Message[],
  summary: Summary | undefined,
  marker: FoldMarker | undefined,
  atEnd: boolean,
): readonly Row[] {
  const rows: Row[] = [];
  // The same key for both, so that the marker turns into the card in place.
  const fold = { kind: "summary", key: "fold", summary: summary as Summary } as const;
  let placed = summary === undefined;
  let marked = marker === undefined;
  const markerKey = summary === undefined ? "fold" : "marker";
  const known = marker !== undefined && messages.some(({ id }) => id === marker.foldLine);
  for (const message of messages) {
    const folded = summary !== undefined && message.sequence <= summary.cutoffSequence;
    if (!placed && !folded) {
      rows.push(fold);
      placed = true;
    }
    rows.push({ kind: "message", key: message.id, message, folded });
    if (marker !== undefined && !marked && message.id === marker.foldLine) {
      rows.push({ kind: "marker", key: markerKey, marker });
      marked = true;
    }
  }
  if (!placed && atEnd) rows.push(fold);
  if (marker !== undefined && !marked && !known && atEnd) rows.push({ kind: "marker", key: markerKey, marker });
  return rows;
}
