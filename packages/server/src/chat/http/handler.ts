import type { OwnerStore } from "@midfold/store";
import type { z } from "zod";
import type { Operation } from "../../api/operation.ts";
import type { OperationName, operations } from "../../api/operations.ts";
import type { Chat } from "../chat.ts";

type Names<TPath extends string> = TPath extends `${string}{${infer TName}}${infer TRest}`
  ? TName | Names<TRest>
  : never;
type Of<TSchema> = TSchema extends z.ZodType ? z.output<TSchema> : undefined;

/** Who asks, as the caller that mounts the chat determined. */
export interface Caller {
  /** Whether it may do what concerns the whole server. */
  readonly admin: boolean;
  /** The key of the request; undefined where none is needed. */
  readonly keyId: string | undefined;
  /** Takes tokens from the key's limit for this minute before they are spent; throws RATE_LIMITED. */
  readonly reserveTokens: (tokens: number) => void;
}

/** One request, read and checked. */
export interface Call<TOperation extends Operation = Operation> {
  readonly chat: Chat;
  readonly store: OwnerStore;
  readonly caller: Caller;
  readonly params: Readonly<Record<Names<TOperation["path"]>, string>>;
  readonly query: Of<TOperation["query"]>;
  readonly body: Of<TOperation["body"]>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly headers: Headers;
}

/**
 * Streams, files and answers written in a thread are a finished `Response`; everything else is data that the router
 * writes.
 */
type Answer<TOperation extends Operation> = TOperation extends { events: z.ZodType } | { file: true }
  ? Response
  : TOperation extends { response: infer TResponse }
    ? Of<TResponse> | Response
    : undefined;

export type CallOf<TName extends OperationName> = Call<(typeof operations)[TName]>;

export type Handler<TName extends OperationName> = (call: CallOf<TName>) => Promise<Answer<(typeof operations)[TName]>>;

/** Exactly one handler per operation: leaving one out does not compile. */
export type Handlers = { readonly [TName in OperationName]: Handler<TName> };
