import type { Role } from "@midfold/core";
import type { Generated } from "kysely";

/**
 * The tables that `migrations.ts` creates. JSON is stored as text in both databases, so that it comes back as it was
 * written.
 */
export interface Schema {
  readonly schema_migrations: { version: number; name: string; applied_at: number };
  readonly chat_sessions: SessionRow;
  readonly chat_messages: MessageTable;
  readonly message_search: { rowid: number; scope: string; terms: string };
  readonly session_snapshots: SnapshotRow;
  readonly settings: { owner: string; scope: string; key: string; value_json: string; updated_at: number };
  readonly context_states: ContextStateRow;
  readonly fold_records: FoldRow;
  readonly learned_limits: LimitRow;
  readonly calibrations: CalibrationRow;
  readonly request_log: RequestRow;
  readonly request_contents: {
    owner: string;
    request_id: string;
    before_json: string;
    after_json: string;
    beside_json: string | null;
  };
  readonly client_keys: KeyRow;
  readonly providers: ProviderRow;
  readonly leases: { owner: string; name: string; holder: string; token: number; expires_at: number };
  readonly event_payloads: { id: string; body: string; created_at: number };
}

export interface SessionRow {
  owner: string;
  id: string;
  title: string;
  model: string | null;
  system_prompt: string | null;
  metadata_json: string;
  version: number;
  epoch: number;
  last_seq: number;
  /** The summary in force and its cutoff, which `publishSummary` compares and sets. */
  summary_id: string | null;
  cutoff_seq: number;
  parent_session_id: string | null;
  parent_message_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface MessageRow {
  owner: string;
  session_id: string;
  seq: number;
  id: string;
  role: Role;
  parts_json: string;
  name: string | null;
  pinned: number;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  visibility: MessageVisibility;
  status: MessageStatus;
  search_chunks: number;
  created_at: number;
}

interface MessageTable extends MessageRow {
  doc_id: Generated<number>;
}

export interface SnapshotRow {
  owner: string;
  session_id: string;
  id: string;
  kind: SnapshotKind;
  state: SnapshotState;
  version: number;
  parent_id: string | null;
  content_json: string;
  /** Null for other kinds of snapshots, and for summaries written before folds were stored. */
  fold_json: string | null;
  extra_json: string;
  message_cutoff_id: string | null;
  cutoff_seq: number;
  token_count: number;
  created_at: number;
}

interface ContextStateRow {
  owner: string;
  conversation_id: string;
  strategy: string;
  summary: string;
  range_start: number;
  range_end: number;
  compressed_at: number;
  metadata_json: string | null;
}

export interface FoldRow {
  owner: string;
  prefix: string;
  covered: number;
  record_json: string;
  created_at: number;
  used_at: number;
}

interface LimitRow {
  owner: string;
  upstream: string;
  model: string;
  context_window: number | null;
  max_output_tokens: number | null;
  evidence: string;
  learned_at: number;
}

interface CalibrationRow {
  owner: string;
  model: string;
  counter: string;
  ratio: number;
  samples: number;
  updated_at: number;
}

export interface RequestRow {
  owner: string;
  id: string;
  at: number;
  session_id: string | null;
  key_id: string | null;
  protocol: string;
  upstream: string | null;
  model: string;
  action: string;
  status: number;
  error_code: string | null;
  messages_before: number;
  messages_after: number;
  tokens_before: number;
  tokens_after: number;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  cost_micros: number | null;
  duration_ms: number;
  first_byte_ms: number | null;
  details_json: string;
  has_content: number;
}

export interface KeyRow {
  owner: string;
  id: string;
  hash: string;
  prefix: string;
  name: string;
  limits_json: string;
  created_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
  ancestors_json: string;
}

export interface ProviderRow {
  owner: string;
  name: string;
  kind: string;
  base_url: string | null;
  key_sealed: string | null;
  key_hint: string | null;
  created_at: number;
  updated_at: number;
}

/** `streaming` is a reply still being written; it is not sent to the model, and no summary covers it. */
export type MessageStatus = "complete" | "streaming" | "interrupted" | "failed";

/** Who sees a message: both, only the person (notices), or only the model (injected context). */
export type MessageVisibility = "all" | "person" | "model";

export type SnapshotKind = "title" | "summary" | "memory";

/** `active`: in force. `superseded`: a newer one replaced it. `undone`: a person took it back. `void`: a message it covers was edited. */
export type SnapshotState = "active" | "superseded" | "undone" | "void";
