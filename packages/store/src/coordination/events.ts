export interface StoreEvent {
  /** Noun and action: `fold-start`, `message-end`. */
  readonly type: string;
  readonly sessionId?: string;
  readonly data?: unknown;
}

/**
 * Live events for everyone who watches this owner, on every replica. Delivered at most once, in order per publisher,
 * and not stored.
 */
export interface Events {
  publish(event: StoreEvent): Promise<void>;
  /** Resolves when events published from now on will arrive. The returned function stops it. */
  subscribe(listener: (event: StoreEvent) => void): Promise<() => void>;
}
