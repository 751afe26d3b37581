import { resolveModel } from "@midfold/core";
import type { ServerConfig } from "@midfold/server";
import { agents, launchLine } from "./agent-launch.ts";

export interface BannerOptions {
  readonly url: string;
  readonly version: string;
  readonly config: ServerConfig;
}

/** What to do next, ready to paste. */
export function banner({ url, version, config }: BannerOptions): string {
  const needsKey = config.server.keys === "required";
  const key = needsKey ? "<your key: midfold keys add>" : "any";
  const demo = config.routes.every((route) => {
    const upstream = config.upstreams[route.upstream];
    return upstream?.provider === "demo" || upstream?.credentials === "passthrough";
  });
  const model = demo ? "midfold-demo" : "gpt-5";
  const routes = config.routes.map((route) => `${route.model} → ${route.upstream}`).join(", ");
  const gateway = { url, key, model, isOnlyModel: demo, window: resolveModel(model).window };
  const lines = Object.entries(agents).map(
    ([command, { title, launch }]) => `  ${title.padEnd(13)} ${launchLine(command, launch(gateway))}`,
  );
  return `
  Midfold ${version}   ${url}

  chat and console   ${url}
  routes             ${routes}${demo ? "   (callers' own keys are passed on; midfold-demo needs none; run midfold init, or set ANTHROPIC_API_KEY or OPENAI_API_KEY)" : ""}
  folding            ${config.fold.enabled ? `on, preset ${config.fold.preset}` : "OFF"}

  In another terminal: midfold wrap claude   (or codex, opencode, qwen, aider, goose). By hand${demo ? ", with the demo model (for your own login or key leave key and model out)" : ""}:

${lines.join("\n")}
  Anthropic SDK new Anthropic({ baseURL: "${url}", apiKey: "${key}" })
  OpenAI SDK    new OpenAI({ baseURL: "${url}/v1", apiKey: "${key}" })
  curl          curl ${url}/v1/chat/completions -H 'content-type: application/json'${needsKey ? ` -H 'authorization: Bearer ${key}'` : ""} -d '{"model":"${model}","messages":[{"role":"user","content":"hello"}]}'

`;
}
