import type { Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import type { Plan } from "../plan/plan.ts";

/** One change a fold makes, by message index. Edits are stored with their outcome, so re-applying them never recounts. */
export type Edit =
  | { readonly do: "drop"; readonly first: number; readonly last: number }
  | { readonly do: "insert"; readonly before: number; readonly role: Role; readonly parts: readonly Part[] }
  /** New parts of a message; a number stands for the part it had at that place. */
  | { readonly do: "parts"; readonly at: number; readonly parts: readonly (number | Part)[] };

/**
 * A fold that can be met again: it covers the first `covers` messages of a conversation whose hash chain there is
 * `prefix`. Serialisable; the same record on the same messages gives the same bytes.
 */
export interface FoldRecord {
  readonly id: string;
  /** The id of the fold, where this record is that fold with excerpts added for a later question. */
  readonly origin?: string;
  readonly prefix: string;
  readonly covers: number;
  /** Name of the preset that made it; another preset does not reuse it. */
  readonly preset: string;
  readonly edits: readonly Edit[];
  /** The digest or summary texts, in order, without their frames: input of the next cascade. */
  readonly texts: readonly string[];
  /** First and last message of stretches that stay because their frame came out no smaller; not tried again. */
  readonly kept?: readonly (readonly [number, number])[];
  /** Tokens the covered messages cost before and after. */
  readonly tokens: { readonly before: number; readonly after: number };
  readonly by: "digest" | "summary" | "none";
  readonly model?: string;
  /** Made while everything still fitted, since the cache was cold: what fits is sent as this record says all the same. */
  readonly early?: true;
}

/** Where fold records live between calls. Scoped to one tenant by whoever creates it. */
export interface FoldCache {
  /** The record that covers the most messages among those whose `prefix` is in `chain` (one hash per message). */
  find(chain: readonly string[]): FoldRecord | undefined | Promise<FoldRecord | undefined>;
  save(record: FoldRecord, plan: Plan): void | Promise<void>;
}
