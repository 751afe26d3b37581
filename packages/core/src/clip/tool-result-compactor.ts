import type { TokenCounter } from "../tokens/token-counter.ts";
import { clipText, defaultMarker } from "./clip-text.ts";

export interface ToolResultCompactorOptions {
  readonly maxResultTokens?: number;
  readonly truncationMessage?: string;
}

/** Shortens large tool results to `maxResultTokens`, keeping head, tail and error lines. */
export class ToolResultCompactor {
  readonly maxResultTokens: number;
  readonly truncationMessage: string;

  constructor(options: ToolResultCompactorOptions = {}) {
    this.maxResultTokens = options.maxResultTokens ?? 1000;
    this.truncationMessage = options.truncationMessage ?? defaultMarker;
  }

  compactResult(result: string, counter: TokenCounter): string {
    return clipText(result, this.maxResultTokens, counter, { marker: this.truncationMessage });
  }
}
