/** What an agent must know about the gateway it is pointed at. */
export interface GatewayAddress {
  /** Without `/v1`. */
  readonly url: string;
  /** The key the gateway requires; any text where it requires none. */
  readonly key: string;
  /** The model to ask for, where the agent cannot start without one. */
  readonly model: string;
  /**
   * True when no other model answers because no provider has a key: agents with models of their own must ask for this
   * one.
   */
  readonly isOnlyModel: boolean;
  readonly window: number;
}

/** How an agent is started so that it talks to the gateway, without changing any of its files. */
export interface AgentLaunch {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that would send it to another address. */
  readonly unset: readonly string[];
  /** Placed before the person's own arguments. */
  readonly args: readonly string[];
}

export interface Agent {
  readonly title: string;
  readonly launch: (gateway: GatewayAddress) => AgentLaunch;
}

/** Every agent `midfold wrap` knows by name; the lines `midfold serve` prints come from here, too. */
export const agents: Readonly<Record<string, Agent>> = {
  claude: {
    title: "Claude Code",
    launch: ({ url, key, model, isOnlyModel }) => ({
      env: {
        ANTHROPIC_BASE_URL: url,
        // As a bearer token: a key in ANTHROPIC_API_KEY has to be approved by hand once.
        ANTHROPIC_AUTH_TOKEN: key,
        // At any address but Anthropic's it sends all tool definitions with every request, unless told that the server
        // supports tool search.
        ENABLE_TOOL_SEARCH: "true",
        ...(isOnlyModel ? { ANTHROPIC_MODEL: model, ANTHROPIC_SMALL_FAST_MODEL: model } : {}),
      },
      unset: ["ANTHROPIC_API_KEY"],
      args: [],
    }),
  },
  codex: {
    title: "Codex",
    launch: ({ url, key, model, isOnlyModel }) => ({
      env: { MIDFOLD_KEY: key },
      unset: [],
      args: [
        ...(isOnlyModel ? ["-m", model] : []),
        "-c",
        "model_provider=midfold",
        "-c",
        `model_providers.midfold={name="Midfold",base_url="${url}/v1",env_key="MIDFOLD_KEY",wire_api="responses"}`,
      ],
    }),
  },
  opencode: {
    title: "OpenCode",
    launch: ({ url, key, model, window }) => ({
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: `midfold/${model}`,
          provider: {
            midfold: {
              name: "Midfold",
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${url}/v1`, apiKey: key },
              models: {
                [model]: { name: model, limit: { context: window, output: Math.min(8_000, Math.floor(window / 4)) } },
              },
            },
          },
        }),
      },
      unset: [],
      args: [],
    }),
  },
  qwen: {
    title: "Qwen Code",
    launch: ({ url, key, model }) => ({
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model },
      unset: [],
      args: ["--auth-type", "openai"],
    }),
  },
  aider: {
    title: "Aider",
    launch: ({ url, key, model }) => ({
      env: { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key, AIDER_MODEL: `openai/${model}` },
      unset: [],
      args: [],
    }),
  },
  goose: {
    title: "Goose",
    launch: ({ url, key, model }) => ({
      env: { GOOSE_PROVIDER: "openai", GOOSE_MODEL: model, OPENAI_HOST: url, OPENAI_API_KEY: key },
      unset: ["OPENAI_BASE_PATH"],
      args: [],
    }),
  },
};

/** For an unknown program: the variables that the SDKs of OpenAI and Anthropic read. */
export const anyProgram: Agent = {
  title: "any program that uses an SDK of OpenAI or Anthropic",
  launch: ({ url, key }) => ({
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: key,
    },
    unset: [],
    args: [],
  }),
};

/** The launch as a line for a shell. */
export function launchLine(command: string, { env, args }: AgentLaunch): string {
  const words = [...Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`), command, ...args.map(quote)];
  return words.join(" ");
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
