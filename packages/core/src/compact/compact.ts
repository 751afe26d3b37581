import { fold } from "../fold/fold.ts";
import type { FoldOptions, FoldResult } from "../fold/fold-options.ts";
import type { Preset } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";
import { type CompactConfig, parseCompactConfig } from "./compact-config.ts";

/**
 * A `compact:` block as settings of the engine.
 *
 * @example const { messages: fitted } = await fold(messages, { preset: compactPreset(parseCompactConfig({})) });
 */
export function compactPreset(config: CompactConfig): Preset {
  const { trigger: _, ...preset } = presets.compact;
  const trigger = {
    ...(config.token_threshold == null ? {} : { tokens: config.token_threshold }),
    ...(config.message_threshold == null ? {} : { messages: config.message_threshold }),
    ...(config.turn_threshold == null ? {} : { turns: config.turn_threshold }),
  };
  return {
    ...preset,
    ...(Object.keys(trigger).length === 0 ? {} : { trigger }),
    tail: { messages: config.retention_window, firm: true },
    maxFrameTokens: config.max_tokens,
  };
}

/**
 * Compacts the earliest assistant and tool messages when a threshold is exceeded; what the user wrote stays word for
 * word. `config` is the block as written. Pass `state` of the last result in again: then a stretch that was summarized
 * keeps its summary, and only what came since is summarized.
 *
 * @example const { messages: fitted, state } = await compact(messages, { token_threshold: 60_000, retention_window: 6 });
 */
export function compact<Wire>(
  messages: readonly Wire[],
  config: unknown,
  options: Omit<FoldOptions, "preset"> = {},
): Promise<FoldResult<Wire>> {
  const parsed = parseCompactConfig(config);
  const model = parsed.model ?? options.model;
  return fold(messages, {
    ...options,
    preset: compactPreset(parsed),
    summary: {
      template: "tagged",
      ...options.summary,
      summaryTag: parsed.summary_tag,
      ...(model === undefined ? {} : { model }),
      ...(parsed.prompt === undefined ? {} : { prompt: parsed.prompt }),
    },
  });
}
