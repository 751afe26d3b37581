/**
 * A conversation before it takes a wire format: one flat list of steps that can be written down in every format, so that
 * the same conversation can be compared across formats. It can say malformed things too (a result without a call).
 */
export interface Draft {
  readonly system?: string;
  readonly steps: readonly Step[];
}

export type Step = SystemStep | UserStep | AssistantStep | ResultsStep;

/** A system turn in the middle of the conversation. */
export interface SystemStep {
  readonly kind: "system";
  readonly text: string;
}

export interface UserStep {
  readonly kind: "user";
  readonly pieces: readonly Piece[];
  readonly pinned?: boolean;
}

export interface AssistantStep {
  readonly kind: "assistant";
  readonly thoughts?: readonly Thought[];
  readonly pieces: readonly Piece[];
  readonly hosted?: readonly HostedCall[];
  readonly calls: readonly Call[];
  readonly pinned?: boolean;
}

/** Results that arrive together. Formats that group results write one message, the others one message each. */
export interface ResultsStep {
  readonly kind: "results";
  readonly results: readonly Result[];
  /** Words of the user in the same breath as the results. */
  readonly words?: string;
}

export type Piece = TextPiece | ImagePiece | FilePiece | UnknownPiece;

export interface TextPiece {
  readonly kind: "text";
  readonly text: string;
}

export interface ImagePiece {
  readonly kind: "image";
  readonly width: number;
  readonly height: number;
  /** Given by address rather than by its bytes. */
  readonly url?: string;
}

export interface FilePiece {
  readonly kind: "file";
  readonly name: string;
  readonly text: string;
}

/** A block type that no rule knows. */
export interface UnknownPiece {
  readonly kind: "unknown";
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Reasoning: readable and signed, or opaque. */
export type Thought = { readonly text: string } | { readonly opaque: string };

export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON text, or free text for a custom tool. */
  readonly input: string;
  readonly custom?: boolean;
}

/** A tool the provider runs itself, with its result in the same assistant turn. */
export interface HostedCall {
  readonly id: string;
  readonly query: string;
  readonly title: string;
  readonly url: string;
}

export interface Result {
  readonly callId: string;
  readonly name: string;
  readonly pieces: readonly (TextPiece | ImagePiece)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
}
