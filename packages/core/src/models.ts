/** Windows, output limits and prices of models. */
export { type DocumentModel, type DocumentName, documentOverrides, documentTables } from "./models/document-tables.ts";
export type { ModelInfo, ModelOverride, ModelOverrides, ModelPrices } from "./models/model-info.ts";
export { type ModelName, parseModelName } from "./models/model-name.ts";
export { defaultRetentionTokens, defaultThreshold, resolveModel, unknownWindow } from "./models/resolve-model.ts";
export { supportedModels } from "./models/supported-models.ts";
export { unknownMaxOutput } from "./models/unknown-model.ts";
