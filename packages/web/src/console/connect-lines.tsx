import type { Overview } from "../api/types.gen.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** What to paste so that a client goes through Midfold, written for the address this page came from. */
function linesFor(origin: string, model: string): readonly (readonly [client: string, line: string])[] {
  return [
    ["Claude Code", `ANTHROPIC_BASE_URL=${origin} ANTHROPIC_API_KEY=any claude`],
    [
      "Codex",
      `MIDFOLD_KEY=any codex -c model_provider=midfold -c 'model_providers.midfold={name="Midfold",base_url="${origin}/v1",env_key="MIDFOLD_KEY",wire_api="responses"}'`,
    ],
    [
      "OpenCode (opencode.json)",
      JSON.stringify({
        provider: {
          midfold: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${origin}/v1`, apiKey: "any" },
            models: { [model]: {} },
          },
        },
      }),
    ],
    ["Anthropic SDK", `new Anthropic({ baseURL: "${origin}", apiKey: "any" })`],
    ["OpenAI SDK", `new OpenAI({ baseURL: "${origin}/v1", apiKey: "any" })`],
    [
      "curl",
      `curl ${origin}/v1/chat/completions -H 'content-type: application/json' -d '{"model":"${model}","messages":[{"role":"user","content":"hello"}]}'`,
    ],
  ];
}

export function ConnectLines({ overview }: { readonly overview: Overview }) {
  const model = overview.routes.find((route) => !route.model.includes("*"))?.model ?? "your-model";
  return (
    <section aria-labelledby="connect" className="rounded-2xl border border-line bg-surface p-4">
      <h2 id="connect" className="font-semibold">
        Send something through it
      </h2>
      <p className="mb-3 text-sm text-ink-soft">
        Point a client at this server by its base URL; nothing else changes. The request appears here at once. Where
        keys are required, put a client key (Settings, Keys) in place of “any”.
      </p>
      <ul className="space-y-2">
        {linesFor(location.origin, model).map(([client, line]) => (
          <li key={client} className="rounded-xl bg-sunken p-2.5 pl-3">
            <div className="flex items-center justify-between gap-3">
              <span className="text-sm font-medium">{client}</span>
              <CopyButton text={line} label={`Copy the line for ${client}`} />
            </div>
            <code className="block font-mono text-xs break-all">{line}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
