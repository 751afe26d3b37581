import { parseArgs } from "node:util";
import type { SimulatedProtocol } from "@midfold/testkit";

/** How a client reaches the upstream: by itself, by itself with its real window configured, or through Midfold. */
export type Way = "direct" | "told" | "midfold";

/**
 * How an upstream deals with what does not fit, and what it bills: refuses what is over its window; counts the answer that
 * is asked for against it too; cuts the conversation without a word; bills only what was not cached.
 */
export const manners = ["exact", "sum", "truncate", "uncached"] as const;
export type Manner = (typeof manners)[number];

export interface Options {
  readonly agents: readonly string[];
  readonly windows: readonly number[];
  /** "own": the protocol that the client itself speaks. */
  readonly upstreams: readonly (SimulatedProtocol | "own")[];
  readonly ways: readonly Way[];
  readonly manners: readonly Manner[];
  readonly turns: number;
  readonly resultTokens: number;
  /** The upstream's tokens per token of o200k_base; undefined: as is usual behind each protocol. */
  readonly countScale: number | undefined;
  /** Midfold's presets; the run fails when the first of them does not carry every client through. */
  readonly presets: readonly string[];
  readonly timeoutMs: number;
  readonly installed: string | undefined;
  readonly verbose: boolean;
  readonly online: boolean;
  /** Midfold is not told the window and has to find it out; then a few refusals or cuts are to be expected. */
  readonly untold: boolean;
  /** Print how to call it, and do nothing else. */
  readonly help: boolean;
}

const upstreamNames: Readonly<Record<string, SimulatedProtocol>> = {
  anthropic: "anthropic-messages",
  chat: "openai-chat",
  responses: "openai-responses",
};

export const nameOfUpstream = (protocol: SimulatedProtocol): string =>
  Object.entries(upstreamNames).find(([, value]) => value === protocol)?.[0] ?? protocol;

export const usage = `npm run e2e:agents -- [options]
  --agent claude,codex,opencode      which clients; "sdk" for all that are libraries, "all" for every one
  --window 16k,32k,64k               enforced windows
  --upstream anthropic,chat,responses    also "own": what each client speaks itself
  --via direct,told,midfold          told: the client is configured with the real window
  --manner exact,sum,truncate,uncached   how the upstream treats what does not fit, and what it bills
  --turns 60                         tool calls the model asks for
  --result-tokens 1000               size of each tool result
  --count-scale <n>                  the upstream's tokens per token of o200k_base (1.6 for anthropic, else 1)
  --preset proxy,agent               Midfold's presets; only the first decides whether the run has failed
  --timeout 300                      seconds per run
  --installed <folder>               install there, and keep it for the next time
  --untold                           Midfold is not told the window: it has to find it out
  --online                           do not cut the network off
  --verbose                          print the end of each client's output
  --help                             print this and do nothing else

Every client at both windows and with all four upstreams, as in docs/gateway.md, takes more than an hour:
  npm run e2e:agents -- --agent all --upstream own --turns 40 --window 16k,32k --manner exact,sum,truncate,uncached --preset proxy`;

export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      agent: { ...text, default: "claude,codex,opencode" },
      window: { ...text, default: "16k,32k,64k" },
      upstream: { ...text, default: "anthropic,chat,responses" },
      via: { ...text, default: "direct,midfold" },
      manner: { ...text, default: "exact" },
      turns: { ...text, default: "60" },
      "result-tokens": { ...text, default: "1000" },
      "count-scale": text,
      preset: { ...text, default: "proxy,agent" },
      timeout: { ...text, default: "300" },
      installed: text,
      online: flag,
      untold: flag,
      verbose: flag,
      help: { ...flag, short: "h" },
    },
  });
  const list = (value: string) => value.split(",").map((part) => part.trim());
  return {
    agents: list(values.agent),
    windows: list(values.window).map(readWindow),
    upstreams: list(values.upstream).map((name) =>
      name === "own" ? name : (upstreamNames[name] ?? fail(`no upstream "${name}"`)),
    ),
    ways: list(values.via).map((way) =>
      way === "direct" || way === "told" || way === "midfold" ? way : fail(`no way "${way}"`),
    ),
    manners: list(values.manner).map(
      (name) => manners.find((manner) => manner === name) ?? fail(`no manner "${name}"`),
    ),
    turns: readNumber("turns", values.turns),
    resultTokens: readNumber("result-tokens", values["result-tokens"]),
    countScale: values["count-scale"] === undefined ? undefined : readNumber("count-scale", values["count-scale"]),
    presets: list(values.preset),
    timeoutMs: readNumber("timeout", values.timeout) * 1_000,
    installed: values.installed,
    verbose: values.verbose,
    online: values.online,
    untold: values.untold,
    help: values.help,
  };
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : fail(`--${name} "${text}" is no positive number`);
}

function readWindow(text: string): number {
  const match = /^(\d+)(k?)$/.exec(text);
  if (match === null) return fail(`"${text}" is no window`);
  return Number(match[1]) * (match[2] === "k" ? 1_024 : 1);
}

function fail(message: string): never {
  throw new Error(`${message}\n${usage}`);
}
