import { isJsonObject, numberField, textField } from "../protocols/json-object.ts";
import type { UpstreamTraits } from "../traits/upstream-traits.ts";

/** Asks the server itself, outside its OpenAI-compatible part. Undefined when it has no such page. */
export type AskServer = (path: string, body?: object) => Promise<unknown>;

/** What Ollama gives a model that neither its file nor a running instance says otherwise of. */
const ollamaDefault = 4_096;
const mostModels = 100;

/**
 * The windows local servers really run their models with, by model. Their lists leave them out or repeat the model card,
 * and a request beyond the real window loses its beginning without a word.
 */
export async function askRealWindows(
  { windowPages }: UpstreamTraits,
  models: readonly string[],
  ask: AskServer,
): Promise<ReadonlyMap<string, number>> {
  if (windowPages === "ollama") return askOllama(models.slice(0, mostModels), ask);
  if (windowPages === "lm-studio") return askLmStudio(ask);
  return windowPages === "llama.cpp" ? askLlamaCpp(models, ask) : new Map();
}

async function askOllama(models: readonly string[], ask: AskServer): Promise<ReadonlyMap<string, number>> {
  const running = await ask("/api/ps");
  const list = isJsonObject(running) && Array.isArray(running.models) ? running.models.filter(isJsonObject) : [];
  const loaded = new Map(list.map((entry) => [textField(entry.name), numberField(entry.context_length)]));
  const windows = await Promise.all(
    models.map(async (model): Promise<readonly [string, number]> => {
      const shown = await ask("/api/show", { model });
      const parameters = isJsonObject(shown) ? (textField(shown.parameters) ?? "") : "";
      const set = /^\s*num_ctx\s+(\d+)/m.exec(parameters)?.[1];
      return [model, loaded.get(model) ?? (set === undefined ? ollamaDefault : Number(set))];
    }),
  );
  return new Map(windows);
}

async function askLmStudio(ask: AskServer): Promise<ReadonlyMap<string, number>> {
  const answer = await ask("/api/v0/models");
  const list = isJsonObject(answer) && Array.isArray(answer.data) ? answer.data.filter(isJsonObject) : [];
  return new Map(
    list.flatMap((entry) => {
      const id = textField(entry.id);
      const window = numberField(entry.loaded_context_length) ?? numberField(entry.max_context_length);
      return id === undefined || window === undefined ? [] : [[id, window] as const];
    }),
  );
}

/** llama.cpp serves one model, and says how it runs it. */
async function askLlamaCpp(models: readonly string[], ask: AskServer): Promise<ReadonlyMap<string, number>> {
  const props = await ask("/props");
  const settings = isJsonObject(props) ? props.default_generation_settings : undefined;
  const window = isJsonObject(settings) ? numberField(settings.n_ctx) : undefined;
  return new Map(window === undefined ? [] : models.map((model) => [model, window] as const));
}
