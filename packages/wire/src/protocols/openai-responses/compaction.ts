import type { Usage } from "../../neutral/neutral-response.ts";
import { encodeUsage } from "./usage.ts";

export interface CompactionReply {
  readonly id: string;
  readonly createdAt: number;
  /** The messages that stay word for word, as items. */
  readonly kept: readonly unknown[];
  /** The summary, sealed by whoever can open it again. */
  readonly sealed: string;
  readonly usage: Usage;
}

/** The answer of `/responses/compact`: the items that stand for the conversation from now on. */
export function encodeCompaction(reply: CompactionReply): unknown {
  const id = `cmp_${reply.id.slice(reply.id.indexOf("_") + 1)}`;
  return {
    id: reply.id,
    object: "response.compaction",
    created_at: reply.createdAt,
    output: [...reply.kept, { id, type: "compaction", encrypted_content: reply.sealed }],
    usage: encodeUsage(reply.usage),
  };
}
