/** Ways an upstream fails. `afterFrames` counts the stream frames sent before it happens. */
export type Fault =
  /** Reads the request and never answers. */
  | { readonly kind: "silence" }
  /** Waits, then answers as usual. */
  | { readonly kind: "delay"; readonly delayMs: number }
  /** Sends some frames, then nothing more; the connection stays open. */
  | { readonly kind: "stall"; readonly afterFrames: number }
  /** TCP reset: before the headers, or after some frames. */
  | { readonly kind: "reset"; readonly afterFrames?: number }
  /** Ends the body early, cleanly as far as TCP is concerned. `half` cuts within a frame. */
  | { readonly kind: "cut"; readonly afterFrames: number; readonly half?: boolean }
  /** An error event inside a stream that began with 200. */
  | { readonly kind: "error-event"; readonly afterFrames: number; readonly type?: string; readonly message?: string }
  /** An HTTP error, with `retry-after` where given. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string; readonly message?: string }
  | { readonly kind: "redirect"; readonly location: string }
  /** One stream line of this many bytes without an end in sight. */
  | { readonly kind: "huge-line"; readonly bytes: number }
  /** A gzip body that unpacks to this many zero bytes; `layers` packs the packed body again. */
  | { readonly kind: "gzip-bomb"; readonly bytes: number; readonly layers?: number }
  | { readonly kind: "html"; readonly status: number }
  /** 200 without a body. */
  | { readonly kind: "empty" }
  /** 200, an event stream, and not one event in it. */
  | { readonly kind: "no-events" }
  /** A second response nobody asked for, right behind the first on the same connection. */
  | { readonly kind: "extra-bytes" }
  /** The right body under another content type. */
  | { readonly kind: "content-type"; readonly value: string }
  /** 200 with text that is not JSON. */
  | { readonly kind: "not-json" }
  /** One byte at a time. */
  | { readonly kind: "drip"; readonly delayMs: number }
  /** Claims an overflow, however small the request is. */
  | { readonly kind: "overflow" };
