import type { DialectTraits } from "./dialect-traits.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Statements that both databases understand; what differs comes from the traits. Never change a released one. */
  statements(traits: DialectTraits): readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "sessions, messages, snapshots",
    statements: ({ countedKey, createSearch }) => [
      `create table chat_sessions (
        owner text not null, id text not null,
        title text not null, model text, system_prompt text, metadata_json text not null,
        version bigint not null, epoch bigint not null, last_seq bigint not null,
        summary_id text, cutoff_seq bigint not null,
        parent_session_id text, parent_message_id text,
        created_at bigint not null, updated_at bigint not null,
        primary key (owner, id))`,
      "create index chat_sessions_by_change on chat_sessions (owner, updated_at, id)",
      `create table chat_messages (
        doc_id ${countedKey},
        owner text not null, session_id text not null, seq bigint not null, id text not null,
        role text not null, parts_json text not null, name text, pinned smallint not null, model text,
        input_tokens bigint, output_tokens bigint,
        visibility text not null, status text not null, search_chunks smallint not null,
        created_at bigint not null,
        foreign key (owner, session_id) references chat_sessions (owner, id) on delete cascade)`,
      "create unique index chat_messages_by_seq on chat_messages (owner, session_id, seq)",
      "create unique index chat_messages_by_id on chat_messages (owner, session_id, id)",
      "create index chat_messages_by_time on chat_messages (owner, session_id, created_at)",
      `create table session_snapshots (
        owner text not null, session_id text not null, id text not null,
        kind text not null, state text not null, version bigint not null, parent_id text,
        content_json text not null, extra_json text not null,
        message_cutoff_id text, cutoff_seq bigint not null, token_count bigint not null,
        created_at bigint not null,
        primary key (owner, session_id, id),
        foreign key (owner, session_id) references chat_sessions (owner, id) on delete cascade)`,
      "create unique index session_snapshots_by_version on session_snapshots (owner, session_id, kind, version)",
      `create unique index session_snapshots_active on session_snapshots (owner, session_id, kind)
        where state = 'active'`,
      ...createSearch,
    ],
  },
  {
    version: 2,
    name: "settings and states",
    statements: () => [
      `create table settings (
        owner text not null, scope text not null, key text not null,
        value_json text not null, updated_at bigint not null,
        primary key (owner, scope, key))`,
      `create table context_states (
        owner text not null, conversation_id text not null,
        strategy text not null, summary text not null,
        range_start bigint not null, range_end bigint not null,
        compressed_at bigint not null, metadata_json text,
        primary key (owner, conversation_id))`,
      `create table leases (
        owner text not null, name text not null,
        holder text not null, token bigint not null, expires_at bigint not null,
        primary key (owner, name))`,
      "create table event_payloads (id text primary key, body text not null, created_at bigint not null)",
    ],
  },
  {
    version: 3,
    name: "what the gateway learns and logs",
    statements: () => [
      `create table fold_records (
        owner text not null, prefix text not null,
        covered bigint not null, record_json text not null,
        created_at bigint not null, used_at bigint not null,
        primary key (owner, prefix))`,
      "create index fold_records_by_use on fold_records (owner, used_at)",
      `create table learned_limits (
        owner text not null, upstream text not null, model text not null,
        context_window bigint, max_output_tokens bigint, evidence text not null, learned_at bigint not null,
        primary key (owner, upstream, model))`,
      `create table calibrations (
        owner text not null, model text not null, counter text not null,
        ratio double precision not null, samples bigint not null, updated_at bigint not null,
        primary key (owner, model, counter))`,
      `create table request_log (
        owner text not null, id text not null, at bigint not null,
        session_id text, key_id text, protocol text not null, upstream text, model text not null,
        action text not null, status integer not null, error_code text,
        messages_before bigint not null, messages_after bigint not null,
        tokens_before bigint not null, tokens_after bigint not null,
        input_tokens bigint, output_tokens bigint, cached_tokens bigint, cost_micros bigint,
        duration_ms double precision not null, first_byte_ms double precision,
        details_json text not null, has_content smallint not null,
        primary key (owner, id))`,
      "create index request_log_by_time on request_log (owner, at, id)",
      `create table request_contents (
        owner text not null, request_id text not null, before_json text not null, after_json text not null,
        primary key (owner, request_id),
        foreign key (owner, request_id) references request_log (owner, id) on delete cascade)`,
      `create table client_keys (
        owner text not null, id text not null, hash text not null unique, prefix text not null, name text not null,
        limits_json text not null, created_at bigint not null, revoked_at bigint, last_used_at bigint,
        primary key (owner, id))`,
    ],
  },
  {
    version: 4,
    name: "the request log by age, whoever's",
    statements: () => ["create index request_log_by_age on request_log (at, id)"],
  },
  {
    version: 5,
    name: "providers of owners, and which key made which",
    statements: () => [
      `create table providers (
        owner text not null, name text not null, kind text not null, base_url text,
        key_sealed text, key_hint text, created_at bigint not null, updated_at bigint not null,
        primary key (owner, name))`,
      "alter table client_keys add column ancestors_json text not null default '[]'",
    ],
  },
  {
    version: 6,
    name: "the fold of each summary",
    statements: () => ["alter table session_snapshots add column fold_json text"],
  },
  {
    version: 7,
    name: "captured answers",
    statements: () => ["alter table request_contents add column beside_json text"],
  },
];

/** The version this program writes; a database with a higher one was written by a newer program. */
export const schemaVersion = migrations.at(-1)!.version;
