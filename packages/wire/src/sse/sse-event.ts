/** One event of a stream: its name (empty when the stream gave none) and its data lines, joined by newlines. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}
