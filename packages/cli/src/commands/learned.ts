import { MidfoldError } from "@midfold/core";
import type { LearnedLimit } from "@midfold/server";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";

interface LearnedFlags {
  readonly url?: string;
  readonly forget?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument("[model]", "only this model")
    .option("--forget", "forget the learned window; the gateway then finds it out again")
    .option("--url <address>", "the gateway; otherwise MIDFOLD_URL or http://127.0.0.1:4141")
    .option("--json", "print the list as JSON")
    .action(async (model: string | undefined, flags: LearnedFlags) => {
      const { env } = context;
      const url = new URL("/api/learned", addressOf(flags.url ?? env.MIDFOLD_URL ?? "http://127.0.0.1:4141"));
      if (model !== undefined && flags.forget === true) url.searchParams.set("model", model);
      const { limits, forgotten } = await ask(url, flags.forget === true ? "DELETE" : "GET", env.MIDFOLD_KEY);
      const shown = limits.filter((limit) => model === undefined || limit.model === model);
      if (flags.json === true) context.write(`${JSON.stringify({ limits: shown, forgotten })}\n`);
      else if (forgotten !== undefined) context.write(`forgotten: ${forgotten}\n`);
      else if (shown.length === 0) context.write("nothing learned: every window is configured, listed or known\n");
      else for (const limit of shown) context.write(describe(limit));
    });
}

function addressOf(url: string): string {
  if (URL.canParse(url)) return url;
  throw new MidfoldError("VALIDATION_ERROR", `${url} is not an address.`);
}

interface Answer {
  readonly limits: readonly LearnedLimit[];
  readonly forgotten?: number;
}

async function ask(url: URL, method: string, key: string | undefined): Promise<Answer> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(url, { method, headers }).catch(() => undefined);
  if (response === undefined) {
    throw new MidfoldError(
      "UPSTREAM_UNREACHABLE",
      `No Midfold answers at ${url.origin}. Start one with: midfold serve`,
    );
  }
  const body = (await response.json()) as Answer & { readonly detail?: string };
  if (response.ok) return body;
  throw new MidfoldError("NOT_FOUND", body.detail ?? `The gateway answered ${response.status}.`);
}

function describe({ model, upstream, contextWindow, maxOutputTokens, evidence, expiresAt }: LearnedLimit): string {
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
  const sizes = [
    ...(contextWindow === null ? [] : [`${contextWindow} tokens`]),
    ...(maxOutputTokens === null ? [] : [`answers of at most ${maxOutputTokens} tokens`]),
  ];
  return `${model} at ${upstream}: ${sizes.join(", ")}, until ${until}\n  ${evidence}\n`;
}
