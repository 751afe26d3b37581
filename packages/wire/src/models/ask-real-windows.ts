import { isJsonObject, numberField, textField } from "../neutral/json-object.ts";
import type { ModelEntry } from "../neutral/protocol.ts";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";

/** Asks the server itself, outside its OpenAI-compatible part. Undefined when it has no such page. */
export type AskServer = (path: string, body?: object) => Promise<unknown>;

/** What a server says of how it really runs a model. */
export type RealModel = Pick<ModelEntry, "contextWindow" | "seesImages">;

/** The window Ollama uses where neither the model file nor a running instance states another. */
const ollamaDefault = 4_096;
const mostModels = 100;

/**
 * The windows local servers really run their models with, by model, and whether those take pictures. Their lists leave them out or repeat the model card,
 * and a request beyond the real window loses its beginning without a word.
 */
export async function askRealWindows(
  { windowPages }: UpstreamTraits,
  models: readonly string[],
  ask: AskServer,
): Promise<ReadonlyMap<string, RealModel>> {
  if (windowPages === "ollama") return askOllama(models.slice(0, mostModels), ask);
  if (windowPages === "lm-studio") return askLmStudio(ask);
  return windowPages === "llama.cpp" ? askLlamaCpp(models, ask) : new Map();
}

async function askOllama(models: readonly string[], ask: AskServer): Promise<ReadonlyMap<string, RealModel>> {
  const running = await ask("/api/ps");
  const list = isJsonObject(running) && Array.isArray(running.models) ? running.models.filter(isJsonObject) : [];
  const loaded = new Map(list.map((entry) => [textField(entry.name), numberField(entry.context_length)]));
  const windows = await Promise.all(
    models.map(async (model): Promise<readonly [string, RealModel]> => {
      const answer = await ask("/api/show", { model });
      const shown = isJsonObject(answer) ? answer : {};
      const set = /^\s*num_ctx\s+(\d+)/m.exec(textField(shown.parameters) ?? "")?.[1];
      const contextWindow = loaded.get(model) ?? (set === undefined ? ollamaDefault : Number(set));
      const { capabilities } = shown;
      return [
        model,
        { contextWindow, ...(Array.isArray(capabilities) ? { seesImages: capabilities.includes("vision") } : {}) },
      ];
    }),
  );
  return new Map(windows);
}

async function askLmStudio(ask: AskServer): Promise<ReadonlyMap<string, RealModel>> {
  const answer = await ask("/api/v0/models");
  const list = isJsonObject(answer) && Array.isArray(answer.data) ? answer.data.filter(isJsonObject) : [];
  return new Map(
    list.flatMap((entry) => {
      const id = textField(entry.id);
      const window = numberField(entry.loaded_context_length) ?? numberField(entry.max_context_length);
      const type = textField(entry.type);
      const sees = type === "vlm" || type === "llm" ? { seesImages: type === "vlm" } : {};
      return id === undefined || window === undefined ? [] : [[id, { contextWindow: window, ...sees }] as const];
    }),
  );
}

/** llama.cpp serves one model, and says how it runs it. */
async function askLlamaCpp(models: readonly string[], ask: AskServer): Promise<ReadonlyMap<string, RealModel>> {
  const props = await ask("/props");
  const settings = isJsonObject(props) ? props.default_generation_settings : undefined;
  const window = isJsonObject(settings) ? numberField(settings.n_ctx) : undefined;
  return new Map(window === undefined ? [] : models.map((model) => [model, { contextWindow: window }] as const));
}
