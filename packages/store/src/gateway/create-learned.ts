import type { OwnerScope } from "../owner-scope.ts";
import { toStorableText } from "../text/storable.ts";
import type { Calibration, Calibrations, LearnedLimit, Limits } from "./learned.ts";

export function createLimits({ database, owner }: OwnerScope): Limits {
  return {
    async list(options) {
      const rows = await database.read(
        (db) =>
          db
            .selectFrom("learned_limits")
            .selectAll()
            .where("owner", "=", owner)
            .orderBy("upstream")
            .orderBy("model")
            .execute(),
        options,
      );
      return rows.map(toLimit);
    },

    async put(limit) {
      const columns = {
        context_window: limit.contextWindow ?? null,
        max_output_tokens: limit.maxOutputTokens ?? null,
        evidence: toStorableText(limit.evidence),
        learned_at: database.traits.now,
      };
      const row = await database.write((db) =>
        db
          .insertInto("learned_limits")
          .values({ owner, upstream: limit.upstream, model: limit.model, ...columns })
          .onConflict((conflict) => conflict.columns(["owner", "upstream", "model"]).doUpdateSet(columns))
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      return toLimit(row);
    },

    async remove(upstream, model) {
      await database.write((db) =>
        db
          .deleteFrom("learned_limits")
          .where(({ and }) => and({ owner, upstream, model }))
          .execute(),
      );
    },
  };
}

export function createCalibrations({ database, owner }: OwnerScope): Calibrations {
  return {
    async list() {
      const rows = await database.read((db) =>
        db
          .selectFrom("calibrations")
          .selectAll()
          .where("owner", "=", owner)
          .orderBy("model")
          .orderBy("counter")
          .execute(),
      );
      return rows.map(toCalibration);
    },

    async put({ model, counter, ratio, samples }) {
      const columns = { ratio, samples, updated_at: database.traits.now };
      await database.write((db) =>
        db
          .insertInto("calibrations")
          .values({ owner, model, counter, ...columns })
          .onConflict((conflict) => conflict.columns(["owner", "model", "counter"]).doUpdateSet(columns))
          .execute(),
      );
    },
  };
}

function toLimit(row: {
  readonly upstream: string;
  readonly model: string;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly evidence: string;
  readonly learned_at: number;
}): LearnedLimit {
  return {
    upstream: row.upstream,
    model: row.model,
    contextWindow: row.context_window ?? undefined,
    maxOutputTokens: row.max_output_tokens ?? undefined,
    evidence: row.evidence,
    learnedAt: row.learned_at,
  };
}

function toCalibration(row: {
  readonly model: string;
  readonly counter: string;
  readonly ratio: number;
  readonly samples: number;
  readonly updated_at: number;
}): Calibration {
  return {
    model: row.model,
    counter: row.counter,
    ratio: row.ratio,
    samples: row.samples,
    updatedAt: row.updated_at,
  };
}
