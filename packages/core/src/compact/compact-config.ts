import { MidfoldError } from "../errors/midfold-error.ts";

/** A `compact:` block, as it is written in YAML. */
export interface CompactConfig {
  /** Most tokens a summary may have. */
  readonly max_tokens: number;
  /** Compaction starts above any of these; `null` or absent is no such threshold. */
  readonly token_threshold?: number | null;
  readonly message_threshold?: number | null;
  readonly turn_threshold?: number | null;
  /** How many of the newest messages stay as they are. */
  readonly retention_window: number;
  /** Model that writes the summaries; the agent's own when absent. */
  readonly model?: string;
  /** Handlebars template of the prompt. */
  readonly prompt?: string;
  /** The tag around the summary in the model's answer. */
  readonly summary_tag: string;
}

const thresholds = ["token_threshold", "message_threshold", "turn_threshold"] as const;
const counts = ["max_tokens", ...thresholds, "retention_window"] as const;
const texts = ["model", "prompt", "summary_tag"] as const;

/** The defaults of a `compact:` block. The token threshold holds beside any other; `null` switches it off. */
export const compactDefaults = {
  max_tokens: 2000,
  token_threshold: 60_000,
  retention_window: 6,
  summary_tag: "summary",
} as const;

/**
 * Reads a `compact:` block, with defaults for what is absent. Unknown names and unusable values are refused by name.
 *
 * @example parseCompactConfig({ token_threshold: 80_000 }).retention_window; // 6
 */
export function parseCompactConfig(block: unknown): CompactConfig {
  if (typeof block !== "object" || block === null || Array.isArray(block)) {
    throw invalid("compact must be a block of settings");
  }
  for (const [name, value] of Object.entries(block)) {
    if (isOneOf(counts, name)) {
      const smallest = name === "retention_window" ? 0 : 1;
      if (value === null && isOneOf(thresholds, name)) continue;
      if (!Number.isSafeInteger(value) || (value as number) < smallest) {
        throw invalid(`compact.${name} must be a whole number of at least ${smallest}, not ${JSON.stringify(value)}`);
      }
    } else if (isOneOf(texts, name)) {
      if (typeof value !== "string" || value === "") throw invalid(`compact.${name} must be a text`);
      if (name === "summary_tag" && !/^[A-Za-z][\w-]*$/.test(value)) {
        throw invalid("compact.summary_tag must be a tag name: letters, digits, dashes");
      }
    } else {
      throw invalid(`compact.${name} is not a setting; known: ${[...counts, ...texts].join(", ")}`);
    }
  }
  return { ...compactDefaults, ...block };
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function invalid(what: string): MidfoldError {
  return new MidfoldError("VALIDATION_ERROR", `${what}. See docs/configuration.md.`);
}
