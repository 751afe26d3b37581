import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { InboundRequest } from "../http/exchange.ts";
import type { JsonBody } from "../json/read-json-body.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import type { Destination } from "../upstreams/destination.ts";

/** One request for an answer, read and addressed. */
export interface Turn {
  readonly request: InboundRequest;
  readonly identity: Identity;
  /** What the client speaks. */
  readonly protocol: Protocol;
  readonly body: JsonBody;
  /** The size of the body in bytes is an upper bound of its tokens. */
  readonly bounded: boolean;
  /** It holds thoughts that we signed for another provider's model. */
  readonly signed: boolean;
  /** The name the client asked for. */
  readonly model: string;
  readonly stream: boolean;
  readonly destination: Destination;
  readonly record: RequestRecord;
  /** Whether client and upstream speak the same protocol, so that bytes may pass. */
  readonly sameProtocol: boolean;
}
