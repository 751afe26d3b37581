import type { Message, Plan, ToolDefinition, Warning } from "@midfold/core";
import type { FoldOutcome } from "../api/console-schemas.ts";

/** Everything remembered about one request. Written by the turn as it goes, frozen by convention when it ends. */
export interface RequestRecord {
  readonly id: string;
  readonly at: number;
  readonly tenant: string;
  readonly keyId: string | undefined;
  readonly keyName: string | undefined;
  readonly client: string;
  readonly protocol: string;
  readonly path: string;
  requestedModel: string;
  model: string;
  stream: boolean;
  state: "running" | "done" | "failed" | "cancelled";
  status: number;
  errorCode: string | undefined;
  errorMessage: string | undefined;
  upstream: string | undefined;
  upstreamAttempts: number;
  /** The client's own name for the conversation, where it sends one. */
  sessionId: string | undefined;
  /** Hash of the conversation's first messages. */
  conversationId: string | undefined;
  outcome: FoldOutcome;
  foldId: string | undefined;
  foldBy: "none" | "digest" | "summary";
  plan: Plan | undefined;
  frames: readonly string[];
  counter: string;
  tokensBefore: number;
  tokensAfter: number;
  budget: number;
  window: number;
  windowSource: string | undefined;
  exact: boolean;
  /** Whether `tokensBefore` and `tokensAfter` were counted, rather than bounded by the size in bytes. */
  counted: boolean;
  messagesBefore: number;
  messagesAfter: number;
  /** Whether the provider had nothing of the conversation in its cache any more; undefined where that is not known. */
  cacheIsCold: boolean | undefined;
  usage: BilledUsage | undefined;
  costMicros: number | undefined;
  savedMicros: number | undefined;
  /** What the tokens taken out would have cost from the cache, or in full where that was cold. */
  savedCachedMicros: number | undefined;
  /** What a newly folded prefix cost above reading the old one from the cache; nothing where that was cold. */
  rewriteMicros: number | undefined;
  /** Calls to a model, made because of this request, to write a summary; undefined cost: no known price. */
  summaries: number;
  summaryMicros: number | undefined;
  totalMs: number;
  foldMs: number;
  overheadMs: number;
  upstreamFirstByteMs: number | undefined;
  overflowRetried: boolean;
  compactionRequest: boolean;
  warnings: Warning[];
  /** Only while capture is on. */
  content: CapturedContent | undefined;
  /** Whether the store has the content too, for when it is no longer in memory. */
  contentStored: boolean;
  /** The first words of the user; only while capture is on. */
  title: string | undefined;
}

/** Message content, as far as it is kept. */
export interface CapturedContent {
  readonly before: unknown;
  readonly after: unknown;
  readonly system?: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  /** The answer's words and tool calls, cut where it is very long. */
  readonly answer?: string;
}

/** Whether what was said can still be shown. */
export function hasWords({ content, contentStored }: RequestRecord): boolean {
  return content !== undefined || contentStored;
}

/** Tokens as the provider billed them. `input` includes what was cached. */
export interface BilledUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
}

/** What is known of a request when it begins. */
type RecordStart = Pick<RequestRecord, "id" | "at" | "tenant" | "keyId" | "keyName" | "client" | "protocol" | "path">;

export function startRecord(start: RecordStart): RequestRecord {
  return {
    // Field by field: an object that is spread and then extended by forty fields is copied again and again.
    id: start.id,
    at: start.at,
    tenant: start.tenant,
    keyId: start.keyId,
    keyName: start.keyName,
    client: start.client,
    protocol: start.protocol,
    path: start.path,
    requestedModel: "",
    model: "",
    stream: false,
    state: "running",
    status: 0,
    errorCode: undefined,
    errorMessage: undefined,
    upstream: undefined,
    upstreamAttempts: 0,
    sessionId: undefined,
    conversationId: undefined,
    outcome: "off",
    foldId: undefined,
    foldBy: "none",
    plan: undefined,
    frames: [],
    counter: "",
    tokensBefore: 0,
    tokensAfter: 0,
    budget: 0,
    window: 0,
    windowSource: undefined,
    exact: false,
    counted: false,
    messagesBefore: 0,
    messagesAfter: 0,
    cacheIsCold: undefined,
    usage: undefined,
    costMicros: undefined,
    savedMicros: undefined,
    savedCachedMicros: undefined,
    rewriteMicros: undefined,
    summaries: 0,
    summaryMicros: 0,
    totalMs: 0,
    foldMs: 0,
    overheadMs: 0,
    upstreamFirstByteMs: undefined,
    overflowRetried: false,
    compactionRequest: false,
    warnings: [],
    content: undefined,
    contentStored: false,
    title: undefined,
  };
}
