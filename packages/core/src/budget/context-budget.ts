import { assertShare } from "../errors/assert-number.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { ContextLimits } from "./context-limits.ts";

export interface ContextBudgetOptions {
  readonly total: number;
  readonly systemPrompt?: number;
  /** A cap on the conversation below what is left over. */
  readonly conversation?: number;
  readonly tools?: number;
  readonly responseReserve?: number;
}

/** One window, shared out between system prompt, tools, reply and conversation. */
export class ContextBudget {
  readonly total: number;
  readonly systemPrompt: number;
  readonly conversation: number;
  readonly tools: number;
  readonly responseReserve: number;

  constructor(options: ContextBudgetOptions) {
    this.total = options.total;
    this.systemPrompt = options.systemPrompt ?? 0;
    this.tools = options.tools ?? 0;
    this.responseReserve = options.responseReserve ?? 0;
    const left = Math.max(0, this.total - this.systemPrompt - this.tools - this.responseReserve);
    this.conversation = Math.min(options.conversation ?? left, left);
    for (const field of ["total", "systemPrompt", "conversation", "tools", "responseReserve"] as const) {
      if (Number.isFinite(this[field]) && this[field] >= 0) continue;
      throw new MidfoldError("VALIDATION_ERROR", `ContextBudget.${field} must be a number of tokens, zero or more.`);
    }
  }

  /** `maxContextShare` of the window, less everything fixed. */
  static forLimits(
    limits: ContextLimits,
    options: { readonly maxContextShare?: number; readonly systemPrompt?: number; readonly tools?: number } = {},
  ) {
    const { maxContextShare = 1, systemPrompt = 0, tools = 0 } = options;
    assertShare("maxContextShare", maxContextShare);
    const total = Math.floor(limits.maxTokens * maxContextShare);
    const responseReserve = Math.max(0, limits.maxTokens - limits.inputTokens);
    return new ContextBudget({ total, systemPrompt, tools, responseReserve: Math.min(responseReserve, total) });
  }

  /** Tokens the conversation may use. */
  get available(): number {
    return this.conversation;
  }
}
