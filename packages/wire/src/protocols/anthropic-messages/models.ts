import type { ModelEntry, ModelPage } from "../protocol.ts";

const pageSize = 20;
const largestPage = 1_000;

/** One page of the models list. */
export function encodeModels(models: readonly ModelEntry[], page: ModelPage = {}): unknown {
  const limit = Math.min(Math.max(1, page.limit ?? pageSize), largestPage);
  const after = page.afterId === undefined ? 0 : models.findIndex((model) => model.id === page.afterId) + 1;
  const before = page.beforeId === undefined ? -1 : models.findIndex((model) => model.id === page.beforeId);
  const end = before < 0 ? Math.min(models.length, after + limit) : before;
  const start = before < 0 ? after : Math.max(0, before - limit);
  const data = models.slice(start, end);
  return {
    data: data.map(encodeModel),
    has_more: before < 0 ? end < models.length : start > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export function encodeModel(model: ModelEntry): unknown {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date((model.createdAt ?? 0) * 1000).toISOString(),
    ...(model.contextWindow === undefined ? {} : { max_input_tokens: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_tokens: model.maxOutputTokens }),
  };
}
