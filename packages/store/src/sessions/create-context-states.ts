import type { ContextStates } from "@midfold/core/compat";
import type { OwnerScope } from "../owner-scope.ts";
import { toStorableText } from "../text/storable.ts";

export function createContextStates({ database, owner }: OwnerScope): ContextStates {
  return {
    async get(conversationId) {
      const row = await database.read((db) =>
        db
          .selectFrom("context_states")
          .selectAll()
          .where(({ and }) => and({ owner, conversation_id: conversationId }))
          .executeTakeFirst(),
      );
      if (row === undefined) return undefined;
      return {
        strategy: row.strategy,
        summary: row.summary,
        summaryRange: [row.range_start, row.range_end],
        compressedAt: row.compressed_at,
      };
    },

    async put(conversationId, state) {
      const values = {
        strategy: toStorableText(state.strategy),
        summary: toStorableText(state.summary),
        range_start: state.summaryRange[0],
        range_end: state.summaryRange[1],
        compressed_at: state.compressedAt,
      };
      await database.write((db) =>
        db
          .insertInto("context_states")
          .values({ owner, conversation_id: toStorableText(conversationId), ...values })
          .onConflict((conflict) => conflict.columns(["owner", "conversation_id"]).doUpdateSet(values))
          .execute(),
      );
    },

    async clear(conversationId) {
      await database.write((db) =>
        db
          .deleteFrom("context_states")
          .where(({ and }) => and({ owner, conversation_id: conversationId }))
          .execute(),
      );
    },
  };
}
