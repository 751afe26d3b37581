import type { Format, Message, MidfoldError, ToolChoice } from "@midfold/core";
import type { OverflowSizes } from "../overflow/overflow-sentence.ts";
import type { SseEvent } from "../sse/sse-event.ts";
import type { AppliedEdit, NeutralRequest, NeutralTool } from "./neutral-request.ts";
import type { NeutralResponse } from "./neutral-response.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { UpstreamTraits } from "./upstream-traits.ts";

export type ProtocolName = "anthropic-messages" | "openai-chat" | "openai-responses";

/** One HTTP protocol, both ways: requests and answers between the wire and the neutral model. All functions are pure. */
export interface Protocol {
  readonly name: ProtocolName;
  /** The format of its message list. */
  readonly format: Format;
  /** How ids of its answers begin. */
  readonly idPrefix: string;
  readonly body: BodyAccess;

  /** Throws VALIDATION_ERROR or INVALID_MESSAGE for a body that cannot be read. */
  decodeRequest(body: unknown): NeutralRequest;
  encodeRequest(request: NeutralRequest, traits: UpstreamTraits): EncodedRequest;

  /** Throws for a body that is an error or no answer at all, whatever its HTTP status was. */
  decodeResponse(body: unknown): NeutralResponse;
  encodeResponse(response: NeutralResponse, reply: ReplyContext): unknown;

  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(reply: ReplyContext): StreamEncoder;
  /** A frame that says nothing and keeps the connection alive, before or during an answer. */
  readonly keepAlive: string;
  /** Clients that asked for a stream recognise a full window only inside the stream, not by an HTTP status. */
  readonly failsInStream?: boolean;

  decodeError(failure: Failure): MidfoldError;
  encodeError(error: MidfoldError, requestId: string): EncodedError;
  /** The error by which this protocol's clients recognise a full window and start their own recovery. */
  overflowError(sizes: OverflowSizes): MidfoldError;

  encodeModels(models: readonly ModelEntry[], page?: ModelPage): unknown;
  encodeModel(model: ModelEntry): unknown;
  /** The answer of the protocol's own token counting endpoint. */
  encodeTokenCount(inputTokens: number): unknown;
}

/** Where things live in a raw body, so that it can be measured and folded without being translated. */
export interface BodyAccess {
  /** The names of the top-level fields; `messages` and `system` as this protocol calls them. */
  readonly fields: {
    readonly model: "model";
    readonly stream: "stream";
    readonly tools: "tools";
    readonly messages: string;
    readonly system?: string;
    /** Every field that limits the answer, the preferred one first. */
    readonly maxOutput: readonly [string, ...string[]];
    /** The field that asks for usage at the end of a stream; some servers refuse it. */
    readonly streamUsage?: string;
    /** The field by which a client asks its server to edit the conversation. */
    readonly contextEdits?: string;
  };
  messagesOf(body: unknown): readonly unknown[];
  /** Throws VALIDATION_ERROR where there is no conversation, though there must be one, or where it is kept elsewhere. */
  assertConversation?(body: unknown): void;
  /** The body with another message list and everything else untouched. */
  withMessages(body: unknown, messages: readonly unknown[]): unknown;
  /** The part of the system prompt that stands outside the message list. */
  systemOf(body: unknown): readonly Message[];
  toolsOf(body: unknown): readonly NeutralTool[];
  toolChoiceOf(body: unknown): ToolChoice | undefined;
  maxOutputOf(body: unknown): number | undefined;
  withMaxOutput(body: unknown, tokens: number): unknown;
  /** How long after its last use the provider keeps what this request lets it cache, in milliseconds. */
  cacheKeptMs(body: unknown): number;
  /** The body without what only Midfold or a fold put there and the provider refuses, such as a fifth cache mark. */
  mend?(body: unknown): unknown;
  /** How a request refers to an answer the server kept, instead of sending the history, where the protocol has such a thing. */
  readonly stored?: {
    /** The answer it goes on from. */
    previousOf(body: unknown): string | undefined;
    /** The earlier item that one of the messages only names, and the answer that item is from, as far as its id tells. */
    referenceOf(message: unknown): ItemReference | undefined;
    /** The body with the history in the place of the reference. */
    withHistory(body: unknown, items: readonly unknown[]): unknown;
    /** Whether the answer may be referred to later. */
    isKept(body: unknown): boolean;
    /** The id of an answer and what it adds to the history. */
    outputOf(response: unknown): { readonly id: string; readonly items: readonly unknown[] } | undefined;
    /** The whole answer, when these frames of its stream end it. */
    answerIn(frames: string): unknown;
    /** Whether an answer says that its server keeps it. */
    saysKept(response: unknown): boolean;
    /** Whether this refusal says that the server does not have the answer with this id, or keeps none at all. */
    isRefusedIn(text: string, id: string): boolean;
  };
  /** How a request asks for its whole history to be summed up instead of answered, where the protocol has such a thing. */
  readonly compaction?: {
    /** The last message says so. */
    isAsked(body: unknown): boolean;
    /** Whether this refusal says that the server does not know how to do it. */
    isRefusedIn(text: string): boolean;
  };
}

/** An item of an earlier answer, by id. */
export interface ItemReference {
  readonly id: string;
  readonly answer: string | undefined;
}

export interface EncodedRequest {
  readonly body: Record<string, unknown>;
  /** How the tools are called upstream; answers are translated back with it. */
  readonly tools: ToolNames;
  /** Stop sequences the upstream cannot take; they have to be enforced on the answer. */
  readonly localStops: readonly string[];
  /** The start of the answer that the client wrote itself and the upstream may repeat. */
  readonly prefill?: string;
  /** What had no place in the upstream's protocol, by field name, for a header. */
  readonly dropped: readonly string[];
  /** Those of them that were part of the conversation, by kind. */
  readonly leftOut: readonly string[];
}

/** The tools of a request under both their names. */
export interface ToolNames {
  readonly toUpstream: ReadonlyMap<string, string>;
  /** By upstream name. */
  readonly toClient: ReadonlyMap<string, ClientTool>;
}

export interface ClientTool {
  readonly name: string;
  /** Free text travels upstream as `{"input": text}`. */
  readonly custom: boolean;
}

/** What is written into an answer beside its content. Ids and time come from the caller: protocols are pure. */
export interface ReplyContext {
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** The name the client asked for. */
  readonly model: string;
  readonly includeUsage: boolean;
  /** Our own count of the prompt, for clients that want a figure before the upstream gives one. */
  readonly estimatedInputTokens: number;
  /** The model's reasoning are not to be shown. */
  readonly hideReasoning?: boolean;
  /** For protocols that repeat the request in the answer. */
  readonly request?: NeutralRequest;
  /** Edits made on the client's behalf, as `applyContextEdits` reports them. */
  readonly appliedEdits?: readonly AppliedEdit[];
}

export interface StreamDecoder {
  push(event: SseEvent): readonly StreamEvent[];
  /** Call once at the end of the stream: an answer that broke off becomes an error here. */
  end(): readonly StreamEvent[];
}

export interface StreamEncoder {
  /** The bytes to send for this event; empty when there is nothing to say yet. */
  push(event: StreamEvent): string;
}

export interface Failure {
  readonly status: number;
  /** The body as text; anything from JSON to an HTML page to nothing. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface EncodedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ModelEntry {
  readonly id: string;
  readonly displayName?: string;
  /** Seconds since 1970. */
  readonly createdAt?: number;
  readonly ownedBy?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Whether it takes pictures, where its server says so. */
  readonly seesImages?: boolean;
}

export interface ModelPage {
  readonly limit?: number;
  readonly afterId?: string;
  readonly beforeId?: string;
}
