import type { Warn } from "../errors/warning.ts";
import { documentOverrides } from "../models/document-tables.ts";
import type { ModelOverrides } from "../models/model-info.ts";
import { resolveModel } from "../models/resolve-model.ts";
import { assertWindow } from "./assert-window.ts";
import { outputReserve } from "./output-reserve.ts";

/** Default of `reserved_tokens`: room for the system prompt and counting errors. */
export const defaultReservedTokens = 1_000;

export interface ContextLimitsOptions {
  readonly model: string;
  readonly maxTokens: number;
  readonly maxOutputTokens: number;
  readonly reservedTokens?: number;
}

/** What a model's window allows. */
export class ContextLimits {
  readonly model: string;
  readonly maxTokens: number;
  readonly maxOutputTokens: number;
  readonly reservedTokens: number;

  constructor(options: ContextLimitsOptions) {
    assertWindow(options.maxTokens);
    this.model = options.model;
    this.maxTokens = options.maxTokens;
    this.maxOutputTokens = options.maxOutputTokens;
    this.reservedTokens = options.reservedTokens ?? defaultReservedTokens;
  }

  /** The agent document's table first, then the registry; an unknown model gets default limits and a warning. */
  static forModel(model: string, options: { readonly overrides?: ModelOverrides; readonly warn?: Warn } = {}) {
    const { warn } = options;
    const overrides = { ...documentOverrides("agent"), ...options.overrides };
    const info = resolveModel(model, { overrides, ...(warn === undefined ? {} : { warn }) });
    return new ContextLimits({ model, maxTokens: info.window, maxOutputTokens: info.maxOutput });
  }

  /** What the input may weigh: the window less the reply and the reserve, which never takes more than a quarter. */
  get inputTokens(): number {
    const { maxTokens, maxOutputTokens, reservedTokens } = this;
    const reply = outputReserve({ window: maxTokens, maxOutput: maxOutputTokens });
    return Math.max(0, maxTokens - reply - Math.min(reservedTokens, Math.floor(maxTokens / 4)));
  }
}
