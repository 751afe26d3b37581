import { text } from "node:stream/consumers";
import type { RequestList } from "@midfold/server";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { describeStatus } from "../output/describe-status.ts";

interface StatuslineFlags {
  readonly url?: string;
}

/** A status bar is drawn anew all the time: rather nothing than a wait. */
const patienceMs = 500;
const mostRequests = 500;

export function addStatusline(program: Command, context: CliContext): void {
  program
    .command("statusline")
    .description(
      "one line for a status bar: how full the context is and what folding spared; Claude Code pipes its session in",
    )
    .option("--url <address>", "the gateway; otherwise MIDFOLD_URL, ANTHROPIC_BASE_URL or http://127.0.0.1:4141")
    .action(async (flags: StatuslineFlags) => {
      const { env } = context;
      const url = flags.url ?? env.MIDFOLD_URL ?? env.ANTHROPIC_BASE_URL ?? "http://127.0.0.1:4141";
      const session = sessionIn(await text(context.stdin));
      const answer = await ask(url, session, env.MIDFOLD_KEY ?? env.ANTHROPIC_API_KEY);
      const line =
        typeof answer === "string"
          ? `midfold: ${answer}`
          : describeStatus(answer.items, { color: env.NO_COLOR === undefined });
      // A status bar shows whatever comes, so that nothing here is a failure of the command.
      context.write(`${line}\n`);
    });
}

/** Claude Code pipes an object with its session's id; without one, the newest request of anybody is shown. */
function sessionIn(input: string): string | undefined {
  try {
    const { session_id: id } = JSON.parse(input) as { session_id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

async function ask(url: string, session: string | undefined, key: string | undefined): Promise<RequestList | string> {
  if (!URL.canParse(url)) return `${url} is no address`;
  const target = new URL("/api/console/requests", url);
  target.searchParams.set("limit", String(mostRequests));
  if (session !== undefined) target.searchParams.set("session", session);
  try {
    const response = await fetch(target, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    if (response.status === 401 || response.status === 403) return "the gateway wants a key: set MIDFOLD_KEY";
    return response.ok ? ((await response.json()) as RequestList) : `no Midfold at ${target.origin}`;
  } catch {
    return `not running at ${target.origin}`;
  }
}
