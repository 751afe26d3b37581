import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { RequestList, RequestSummary } from "@midfold/server";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";

interface StatuslineFlags {
  readonly url?: string;
  readonly json?: boolean;
}

/** A status bar is drawn several times a minute, so after this time it shows nothing rather than waiting. */
const patienceMs = 500;
const mostRequests = 500;

export function define(command: Command, context: CommandContext): void {
  command
    .option("--url <address>", "the gateway; otherwise MIDFOLD_URL, ANTHROPIC_BASE_URL or http://127.0.0.1:4141")
    .option("--json", "print the session's requests as JSON")
    .action(async (flags: StatuslineFlags) => {
      const { env } = context;
      const url = flags.url ?? env.MIDFOLD_URL ?? env.ANTHROPIC_BASE_URL ?? "http://127.0.0.1:4141";
      const session = context.canAsk ? undefined : sessionIn(await text(context.stdin));
      const answer = await ask(url, session, env.MIDFOLD_KEY ?? env.ANTHROPIC_AUTH_TOKEN ?? env.ANTHROPIC_API_KEY);
      if (flags.json === true) {
        context.write(`${JSON.stringify(typeof answer === "string" ? { problem: answer } : answer)}\n`);
        return;
      }
      // A status bar shows whatever is printed, so errors are not printed here.
      const line =
        typeof answer === "string"
          ? `midfold: ${answer}`
          : describeStatus(answer.items, { color: env.NO_COLOR === undefined });
      context.write(`${line}\n`);
    });
}

/** Claude Code pipes an object with its session id; without one, the newest request of any session is shown. */
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
    const response = await get(target, key === undefined ? {} : { authorization: `Bearer ${key}` });
    const { statusCode } = response;
    const body = await text(response);
    if (statusCode === 401 || statusCode === 403) return "the gateway wants a key: set MIDFOLD_KEY";
    return statusCode === 200 ? (JSON.parse(body) as RequestList) : `no Midfold at ${target.origin}`;
  } catch {
    return `not running at ${target.origin}`;
  }
}

/**
 * Uses neither `fetch` nor an import of `node:http` (whose exports load `fetch`): loading it takes longer than
 * everything else this command does.
 */
function get(url: URL, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const http = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  return new Promise((resolve, reject) => {
    http.get(url, { headers, signal: AbortSignal.timeout(patienceMs) }, resolve).on("error", reject);
  });
}

interface DescribeStatusOptions {
  readonly color: boolean;
}

const cells = 10;

/** The newest request of a session as a meter, and what folding did for the session; newest request first. */
function describeStatus(requests: readonly RequestSummary[], { color }: DescribeStatusOptions): string {
  const newest = requests.find(({ fold, compactionRequest }) => fold.budget > 0 && !compactionRequest);
  if (newest === undefined) return "midfold: ready";
  const { tokensAfter, budget, window } = newest.fold;
  const share = tokensAfter / budget;
  const full = Math.min(cells, Math.round(share * cells));
  const meter = `${"▰".repeat(full)}${"▱".repeat(cells - full)} ${Math.round(share * 100)}% of ${short(window)}`;
  const folds = requests.filter(({ fold }) => fold.outcome === "folded").length;
  const saved = requests.reduce((sum, { fold }) => sum + Math.max(0, fold.tokensBefore - fold.tokensAfter), 0);
  const folding = folds === 0 ? "" : ` · folded ${folds}×, ${short(saved)} tokens saved`;
  return `${color ? paint(meter, share) : meter}${folding}`;
}

/** The same limits as the meter in the chat: orange from 80 %, red from 95 %. */
function paint(text: string, share: number): string {
  const code = share >= 0.95 ? 31 : share >= 0.8 ? 33 : 32;
  return `\u001b[${code}m${text}\u001b[0m`;
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${Math.round(tokens / 1_000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
