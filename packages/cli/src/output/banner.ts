import type { ServerConfig } from "@midfold/server";

export interface BannerOptions {
  readonly url: string;
  readonly version: string;
  readonly config: ServerConfig;
}

/** What to do next, ready to paste. */
export function banner({ url, version, config }: BannerOptions): string {
  const needsKey = config.server.keys === "required";
  const key = needsKey ? "<your key: midfold keys add>" : "any";
  const demo = config.routes.every((route) => config.upstreams[route.upstream]?.provider === "demo");
  const routes = config.routes.map((route) => `${route.model} → ${route.upstream}`).join(", ");
  return `
  Midfold ${version}   ${url}

  chat and console   ${url}
  routes             ${routes}${demo ? "   (offline demo model; set ANTHROPIC_API_KEY or OPENAI_API_KEY)" : ""}
  folding            ${config.fold.enabled ? `on, preset ${config.fold.preset}` : "OFF"}

  Claude Code   ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${key} claude
  Codex         MIDFOLD_KEY=${key} codex -c model_provider=midfold -c 'model_providers.midfold={name="Midfold",base_url="${url}/v1",env_key="MIDFOLD_KEY",wire_api="responses"}'
  OpenCode      opencode.json: {"provider":{"midfold":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"${url}/v1","apiKey":"${key}"},"models":{"${demo ? "midfold-demo" : "gpt-5"}":{}}}}}
  Anthropic SDK new Anthropic({ baseURL: "${url}", apiKey: "${key}" })
  OpenAI SDK    new OpenAI({ baseURL: "${url}/v1", apiKey: "${key}" })
  curl          curl ${url}/v1/chat/completions -H 'content-type: application/json'${needsKey ? ` -H 'authorization: Bearer ${key}'` : ""} -d '{"model":"midfold-demo","messages":[{"role":"user","content":"hello"}]}'

`;
}
