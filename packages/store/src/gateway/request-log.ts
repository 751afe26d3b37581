import type { Page } from "../page.ts";

/** One request through the gateway or the chat, before and after its fold. Holds no message content. */
export interface RequestEntry {
  readonly id: string;
  readonly sessionId?: string;
  readonly keyId?: string;
  readonly protocol: string;
  readonly upstream?: string;
  readonly model: string;
  /** `none`, or the rungs that were used. */
  readonly action: string;
  readonly status: number;
  readonly errorCode?: string;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly costMicros?: number;
  readonly durationMs: number;
  readonly firstByteMs?: number;
  /** Plan, reasons, warnings and other facts for the console. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Message content before and after. Dropped unless the store was opened with `captureContent`. */
  readonly content?: RequestContent;
}

export interface RequestContent {
  readonly before: unknown;
  readonly after: unknown;
  /** What else is kept, such as the answer. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

export interface LoggedRequest extends Omit<RequestEntry, "content"> {
  readonly at: number;
  readonly hasContent: boolean;
}

export interface RequestFilter {
  readonly sessionId?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** Written in batches after the request: `write` never waits and never makes a request fail. */
export interface RequestLog {
  /** False when the buffer was full and the entry was dropped. */
  write(entry: RequestEntry): boolean;
  /** Entries written so far are readable when it resolves. */
  flush(): Promise<void>;
  /** Newest first. */
  list(filter?: RequestFilter): Promise<Page<LoggedRequest>>;
  content(id: string): Promise<RequestContent | undefined>;
}
