import { isScalar, LineCounter, parseDocument, visit } from "yaml";
import { type Environment, readVariable } from "./environment.ts";
import type { ConfigSource } from "./load-config.ts";

/** Which variable sets which setting; the environment overrides the file. A test loads each of them. */
export const settingVariables: readonly (readonly [variable: string, setting: string])[] = [
  ["MIDFOLD_HOST", "server.host"],
  ["PORT", "server.port"],
  ["MIDFOLD_PORT", "server.port"],
  ["MIDFOLD_DATABASE", "server.database"],
  ["MIDFOLD_PRESET", "fold.preset"],
  ["CONTEXT_COMPRESSION_STRATEGY", "fold.strategy"],
  ["CONTEXT_COMPRESSION_HEAD_PERCENT", "fold.headPercent"],
  ["CONTEXT_COMPRESSION_TOOLS", "fold.tools"],
  ["DISABLE_CONTEXT_COMPRESSION", "fold.enabled"],
  ["ANTHROPIC_API_KEY", "upstreams.anthropic"],
  ["ANTHROPIC_BASE_URL", "upstreams.anthropic.baseUrl"],
  ["OPENAI_API_KEY", "upstreams.openai"],
  ["OPENAI_BASE_URL", "upstreams.openai.baseUrl"],
  ["OPENROUTER_API_KEY", "upstreams.openrouter"],
];

/**
 * Where settings come from, by path such as `server.port` or `routes.0.model`: `midfold.yaml:3` or `MIDFOLD_PORT`. A
 * setting without an entry is a default, or derived from a setting above it.
 */
export function configSources(source: ConfigSource | undefined, env: Environment): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  if (source !== undefined) {
    const lines = new LineCounter();
    visit(parseDocument(source.text, { lineCounter: lines, merge: true }), {
      Pair: (_, { key }, above) => {
        if (!isScalar(key) || key.range == null) return;
        sources.set(pathOf(key.value, above), `${source.file}:${lines.linePos(key.range[0]).line}`);
      },
    });
  }
  const routed = [...sources.keys()].some((path) => path === "routes");
  for (const [variable, setting] of settingVariables) {
    // With routes in the file, providers in the environment do not add routes of their own.
    if (readVariable(env, variable) === undefined || (routed && setting.startsWith("upstreams."))) continue;
    sources.set(setting, variable);
  }
  return sources;
}

/** The path of a key, outermost name first. */
function pathOf(key: unknown, above: readonly unknown[]): string {
  const steps: string[] = [];
  above.forEach((node, at) => {
    const below = above[at + 1];
    const { key: name, items } = node as { key?: { value?: unknown }; items?: readonly unknown[] };
    if (name?.value !== undefined) steps.push(String(name.value));
    else if (items !== undefined && below !== undefined && !isPair(below)) steps.push(String(items.indexOf(below)));
  });
  return [...steps, String(key)].join(".");
}

function isPair(node: unknown): boolean {
  return typeof node === "object" && node !== null && "key" in node;
}
