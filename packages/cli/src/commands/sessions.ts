import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { wholeNumber } from "../input/numbers.ts";
import { missingDatabase, withDatabase } from "../input/open-database.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

interface SessionsFlags extends ConfigFlag {
  readonly limit: number;
  readonly json?: boolean;
}

interface SessionRow {
  readonly from: "claude" | "codex" | "chat";
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly bytes?: number;
  /** A file that `inspect`, `plan`, `fold` and `replay` read. */
  readonly file?: string;
  /** A chat in the database. */
  readonly id?: string;
}

/** Bytes read from the start of a file: enough to find the first question. */
const headBytes = 64 * 1024;

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .option("-n, --limit <count>", "how many to list, newest first", wholeNumber, 20)
    .option("--json", "print the list as JSON")
    .action(async (flags: SessionsFlags) => {
      const home = context.env.HOME ?? context.env.USERPROFILE ?? "";
      const claude = context.env.CLAUDE_CONFIG_DIR ?? join(home, ".claude");
      const codex = context.env.CODEX_HOME ?? join(home, ".codex");
      const files = [
        ...filesBelow(join(claude, "projects"), "claude"),
        ...filesBelow(join(codex, "sessions"), "codex"),
      ];
      const newest = [...files, ...(await chats(context, flags))]
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, flags.limit)
        .map((row) => (row.file === undefined ? row : { ...row, title: titleOf(row.file) }));
      if (flags.json === true) context.write(`${JSON.stringify(newest)}\n`);
      else for (const row of newest) context.write(describe(row));
      if (newest.length === 0) context.warn(`No conversations in ${claude}, ${codex} or the database.\n`);
    });
}

function filesBelow(folder: string, from: SessionRow["from"]): SessionRow[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl"))
    .map((path) => {
      const file = join(folder, path);
      const { mtimeMs, size } = statSync(file);
      return { from, title: "", updatedAt: Math.round(mtimeMs), bytes: size, file };
    });
}

/** Chats of the configured database, if it exists: listing must not create one. */
async function chats(context: CommandContext, flags: SessionsFlags): Promise<SessionRow[]> {
  const config = readConfig(context, flags.config);
  if (config.server.database === "none") return [];
  if (missingDatabase(context, config) !== undefined) return [];
  const { items } = await withDatabase(context, config, (store) =>
    store.of("default").sessions.list({ limit: Math.min(flags.limit, 200) }),
  );
  return items.map(({ id, title, updatedAt }) => ({ from: "chat", title, updatedAt, id }));
}

/** The first thing a person typed. */
function titleOf(file: string): string {
  const buffer = Buffer.alloc(headBytes);
  const handle = openSync(file, "r");
  const length = readSync(handle, buffer, 0, headBytes, 0);
  closeSync(handle);
  for (const line of buffer.toString("utf8", 0, length).split("\n")) {
    const words = userText(line);
    if (words !== undefined) return words.replace(/\s+/g, " ").trim().slice(0, 60);
  }
  return "";
}

function userText(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    // Claude Code writes `message`, Codex `payload`.
    const { role, content } = (entry.message ?? entry.payload ?? {}) as { role?: unknown; content?: unknown };
    if (role !== "user") return undefined;
    const texts = Array.isArray(content) ? content.map((part: { text?: unknown }) => part?.text) : [content];
    // Both put instructions of their own, in tags, before what the person wrote.
    return texts.find((text): text is string => typeof text === "string" && text !== "" && !text.startsWith("<"));
  } catch {
    return undefined;
  }
}

function describe({ from, title, updatedAt, bytes, file, id }: SessionRow): string {
  const date = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
  const size = bytes === undefined ? "" : `${Math.ceil(bytes / 1024)} kB`;
  return `${date}  ${from.padEnd(6)}  ${size.padStart(9)}  ${title.padEnd(60)}  ${file ?? `chat ${id}`}\n`;
}
