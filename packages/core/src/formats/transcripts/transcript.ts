import type { Message } from "../../message/message.ts";
import type { FormatName } from "../format.ts";

export type TranscriptFormat = FormatName | "markdown" | "claude-code" | "codex" | "chat-export";

/** A conversation read from a file somebody saved elsewhere. */
export interface Transcript {
  readonly format: TranscriptFormat;
  /** The message format its entries are written in. */
  readonly dialect: FormatName;
  readonly title?: string;
  readonly model?: string;
  /** A system prompt that stood before or beside the messages. */
  readonly system?: string;
  readonly messages: readonly Message[];
  /** When each message was written, in milliseconds since 1970, where the file says so. */
  readonly times: readonly (number | undefined)[];
  /** Entries that are no messages, or could not be read. */
  readonly skipped: number;
  readonly warnings: readonly string[];
}

/** What one reader makes of a file, before the parts common to all are added. */
export interface ReadEntries {
  readonly wire: readonly unknown[];
  readonly times: readonly (number | undefined)[];
  readonly skipped: number;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "number" ? value * (value < 1e11 ? 1000 : 1) : Date.parse(String(value ?? ""));
  return Number.isFinite(time) && time > 0 ? Math.round(time) : undefined;
}
