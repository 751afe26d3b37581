import type { Schema } from "../sql/schema.ts";

export interface TransferTable {
  readonly name: keyof Schema;
  /** The columns that rows are ordered by; unique together. */
  readonly key: readonly string[];
  /** Columns that the receiving database assigns itself. */
  readonly omit?: readonly string[];
}

/**
 * Every table worth keeping, parents before children. Search entries are made again on import; leases and events are
 * only valid now.
 */
export const transferTables: readonly TransferTable[] = [
  { name: "chat_sessions", key: ["owner", "id"] },
  { name: "chat_messages", key: ["owner", "session_id", "seq"], omit: ["doc_id"] },
  { name: "session_snapshots", key: ["owner", "session_id", "id"] },
  { name: "settings", key: ["owner", "scope", "key"] },
  { name: "context_states", key: ["owner", "conversation_id"] },
  { name: "fold_records", key: ["owner", "prefix"] },
  { name: "learned_limits", key: ["owner", "upstream", "model"] },
  { name: "calibrations", key: ["owner", "model", "counter"] },
  { name: "request_log", key: ["owner", "id"] },
  { name: "request_contents", key: ["owner", "request_id"] },
  { name: "client_keys", key: ["owner", "id"] },
  { name: "providers", key: ["owner", "name"] },
];

export const transferFormat = "midfold-store";
