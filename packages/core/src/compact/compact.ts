import { fold } from "../fold/fold.ts";
import type { FoldOptions, FoldResult } from "../fold/fold-options.ts";
import type { Preset } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";
import { type CompactConfig, parseCompactConfig } from "./compact-config.ts";

/** R4's block as settings of the engine. */
export function compactPreset(config: CompactConfig): Preset {
  const { token_threshold, message_threshold, turn_threshold } = config;
  return {
    ...presets.compact,
    trigger: {
      ...(token_threshold === undefined ? {} : { tokens: token_threshold }),
      ...(message_threshold === undefined ? {} : { messages: message_threshold }),
      ...(turn_threshold === undefined ? {} : { turns: turn_threshold }),
    },
    tail: { messages: config.retention_window, firm: true },
    maxFrameTokens: config.max_tokens,
  };
}

/**
 * R4: compacts the earliest assistant and tool messages when a threshold is exceeded; what the user wrote stays word for
 * word. `config` is the block as written.
 */
export function compact<Wire>(
  messages: readonly Wire[],
  config: unknown,
  options: Omit<FoldOptions, "preset"> = {},
): Promise<FoldResult<Wire>> {
  const parsed = parseCompactConfig(config);
  return fold(messages, {
    ...options,
    preset: compactPreset(parsed),
    summary: {
      ...options.summary,
      summaryTag: parsed.summary_tag,
      ...(parsed.prompt === undefined ? {} : { prompt: parsed.prompt }),
    },
  });
}
