import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));

export interface Example {
  readonly file: string;
  /** The packages of others it needs. */
  readonly packages: readonly string[];
  /** What Midfold added to it, and what stood there before. */
  readonly added: RegExp;
  readonly before: string;
}

/** One per adapter. */
export const adapterExamples: readonly Example[] = [
  {
    file: "ai-sdk.ts",
    packages: ["ai", "@ai-sdk/openai-compatible"],
    added: /^ *prepareStep: prepareStep\(.*\),\n/m,
    before: "",
  },
  {
    file: "openai-client.ts",
    packages: ["openai"],
    added: /withMidfold\((new OpenAI\(.*\)), \{.*\}\)/,
    before: "$1",
  },
  {
    file: "anthropic-client.ts",
    packages: ["@anthropic-ai/sdk"],
    added: /withMidfold\((new Anthropic\(.*\)), \{.*\}\)/,
    before: "$1",
  },
  {
    file: "langchain.ts",
    packages: ["langchain", "@langchain/core", "@langchain/openai"],
    added: /, middleware: \[midfold\(.*\)\]/,
    before: "",
  },
  {
    file: "openai-agents.ts",
    packages: ["@openai/agents", "openai"],
    added: /midfoldSession\(whole, .*\);/,
    before: "whole;",
  },
  { file: "mastra.ts", packages: ["@mastra/core"], added: /^ *inputProcessors: \[midfold\(.*\n/m, before: "" },
  {
    file: "tanstack-ai.ts",
    packages: ["@tanstack/ai", "@tanstack/ai-openai"],
    added: /^ *middleware: \[midfold\(.*\n/m,
    before: "",
  },
];

/** The example as JavaScript, with Midfold and as it was before, in a folder that has its packages. */
export function writeExample({ file, added, before }: Example, folder: string): { withIt: string; without: string } {
  const source = readFileSync(join(examples, file), "utf8");
  if (!added.test(source)) throw new Error(`${file} has no line ${added}: tests/install must follow.`);
  const base = file.replace(/\.ts$/, "");
  const [withIt, without] = [`${base}.mjs`, `${base}-before.mjs`];
  writeFileSync(join(folder, withIt), stripTypeScriptTypes(source));
  writeFileSync(join(folder, without), stripTypeScriptTypes(source.replace(added, before)));
  copyFileSync(join(examples, file), join(folder, file));
  return { withIt, without };
}

export interface DemoModel {
  readonly url: string;
  /** The size of the largest request since this was last asked. */
  largestRequest(): number;
  stop(): Promise<void>;
}

/** The installed command with its demo model, and before it a listener that notes how large requests are. */
export async function startDemoModel(midfold: string, cwd: string, env: Record<string, string>): Promise<DemoModel> {
  const program = spawn(process.execPath, [midfold, "serve", "--port", "0"], {
    cwd,
    env: { ...env, MIDFOLD_DATABASE: "none", MIDFOLD_MODEL: "midfold-demo" },
  });
  let target: string | undefined;
  let said = "";
  for await (const line of createInterface(program.stdout)) {
    said += `${line}\n`;
    target = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (target !== undefined) break;
  }
  program.stdout.resume();
  program.stderr.resume();
  if (target === undefined) throw new Error(`midfold serve did not say where it listens:\n${said}`);
  let largest = 0;
  const listener = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    largest = Math.max(largest, body.length);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) =>
        /^(?:content-type|authorization|x-api-key|anthropic-)/.test(name),
      ),
    ) as Record<string, string>;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? "GET",
      headers,
      ...(body.length > 0 ? { body } : {}),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    largestRequest: () => {
      const seen = largest;
      largest = 0;
      return seen;
    },
    stop: async () => {
      listener.closeAllConnections();
      listener.close();
      program.kill("SIGTERM");
      await once(program, "exit");
    },
  };
}
