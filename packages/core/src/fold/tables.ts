// What a fold looks up of models, in one file: one import loads it where it is needed, and all of it is needed together.
export { resolveModel } from "../models/resolve-model.ts";
export { getCounter } from "../tokens/get-counter.ts";
