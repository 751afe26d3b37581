import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { InboundRequest } from "../http/http-message.ts";
import type { JsonBody } from "../json/read-json-body.ts";
import type { LimitKey } from "../learn/limits.ts";
import type { Destination } from "../upstreams/destination.ts";
import type { PreviousAnswer } from "./kept-answers.ts";

/** One request for an answer, with its body read and its destination known. */
export interface Turn {
  readonly request: InboundRequest;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly identity: Identity;
  /** What the client speaks. */
  readonly protocol: Protocol;
  readonly body: JsonBody;
  /** The answer it continues, whose conversation was put before what was sent. */
  readonly previous: PreviousAnswer | undefined;
  /** The size of the body in bytes is an upper bound of its tokens. */
  readonly bounded: boolean;
  /** It contains reasoning of another provider's model, signed by us. */
  readonly signed: boolean;
  /** The name the client asked for. */
  readonly model: string;
  readonly stream: boolean;
  readonly destination: Destination;
  /** The key under which limits of the destination are learned. */
  readonly key: LimitKey;
  /** The client's own name for the conversation, where it sends one. */
  readonly sessionId: string | undefined;
  /** The same for every request that continues a conversation. */
  readonly conversation: string | undefined;
  /** The client asks for a summary of its own conversation, which must not be refused. */
  readonly compacting: boolean;
  /** Whether client and upstream use the same protocol, so that bytes can be passed on. */
  readonly sameProtocol: boolean;
}
