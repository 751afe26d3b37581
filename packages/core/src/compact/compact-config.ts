import { MidfoldError } from "../errors/midfold-error.ts";

/** R4's `compact:` block, as it is written in YAML. */
export interface CompactConfig {
  /** Most tokens a summary may have. */
  readonly max_tokens: number;
  readonly token_threshold?: number;
  readonly message_threshold?: number;
  readonly turn_threshold?: number;
  /** How many of the newest messages stay as they are. */
  readonly retention_window: number;
  /** Model that writes the summaries; the agent's own when absent. */
  readonly model?: string;
  /** Handlebars template of the prompt. */
  readonly prompt?: string;
  /** The tag around the summary in the model's answer. */
  readonly summary_tag: string;
}

const counts = ["max_tokens", "token_threshold", "message_threshold", "turn_threshold", "retention_window"] as const;
const texts = ["model", "prompt", "summary_tag"] as const;

export const compactDefaults = { max_tokens: 2000, retention_window: 6, summary_tag: "summary" } as const;

/** Reads a `compact:` block, with R4's defaults. Unknown names and unusable values are refused by name. */
export function parseCompactConfig(block: unknown): CompactConfig {
  if (typeof block !== "object" || block === null || Array.isArray(block)) {
    throw invalid("compact must be a block of settings");
  }
  const given = block as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if ((counts as readonly string[]).includes(name)) {
      const smallest = name === "retention_window" ? 0 : 1;
      if (!Number.isSafeInteger(value) || (value as number) < smallest) {
        throw invalid(`compact.${name} must be a whole number of at least ${smallest}, not ${JSON.stringify(value)}`);
      }
    } else if ((texts as readonly string[]).includes(name)) {
      if (typeof value !== "string" || value === "") throw invalid(`compact.${name} must be a text`);
    } else {
      throw invalid(`compact.${name} is not a setting; known: ${[...counts, ...texts].join(", ")}`);
    }
  }
  const config = { ...compactDefaults, ...given } as CompactConfig;
  const triggered = config.token_threshold ?? config.message_threshold ?? config.turn_threshold;
  return triggered === undefined ? { ...config, token_threshold: 60_000 } : config;
}

function invalid(what: string): MidfoldError {
  return new MidfoldError("VALIDATION_ERROR", `${what}. See docs/configuration.md.`);
}
