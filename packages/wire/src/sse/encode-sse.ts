/** One frame with a name and JSON data. JSON never holds a raw newline, so one data line is always enough. */
export function encodeSse(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** One frame without a name, as OpenAI chat streams have them. */
export function encodeSseData(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A frame that clients ignore; it keeps the connection from looking dead. */
export const sseComment = ": keep-alive\n\n";

/** What a response with a stream says about itself. */
export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
