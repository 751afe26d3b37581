/**
 * What a message is made of. Every part may remember the wire block it came from (`source`), so that a message of which
 * only one part changes still sends the others, with all their unknown fields, as they were.
 */
export type Part = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart | OtherPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly source?: unknown;
}

export interface ImagePart {
  readonly type: "image";
  readonly mediaType?: string;
  /** Base64, without a data-URL prefix. */
  readonly data?: string;
  readonly url?: string;
  readonly fileId?: string;
  readonly width?: number;
  readonly height?: number;
  readonly detail?: "low" | "high" | "auto" | "original";
  readonly source?: unknown;
}

export interface FilePart {
  readonly type: "file";
  readonly name?: string;
  readonly mediaType?: string;
  /** Base64, without a data-URL prefix. */
  readonly data?: string;
  /** Plain text of a text document. */
  readonly text?: string;
  readonly url?: string;
  readonly fileId?: string;
  readonly bytes?: number;
  readonly source?: unknown;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** Proof by the provider that it wrote this text; a signed part must travel unchanged or not at all. */
  readonly signature?: string;
  /** Opaque reasoning (redacted or encrypted) that only the provider can read. */
  readonly opaque?: string;
  readonly source?: unknown;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text for function tools, free text for custom tools. */
  readonly input: string;
  /** A tool whose input is free text rather than JSON. */
  readonly custom?: boolean;
  /** Run by the provider itself: its result arrives inside the same assistant message. */
  readonly hosted?: boolean;
  readonly source?: unknown;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  readonly name?: string;
  readonly content: readonly (TextPart | ImagePart | FilePart | OtherPart)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
  readonly hosted?: boolean;
  readonly source?: unknown;
}

/** A block no rule here knows. It is carried along unchanged and counted by its JSON. */
export interface OtherPart {
  readonly type: "other";
  readonly kind: string;
  readonly value: unknown;
  readonly source?: unknown;
}
