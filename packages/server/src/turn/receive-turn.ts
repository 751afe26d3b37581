import { MidfoldError } from "@midfold/core";
import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { headerOf, type InboundRequest } from "../http/exchange.ts";
import { type JsonBody, readJsonBody } from "../json/read-json-body.ts";
import { type RequestRecord, startRecord } from "../requests/request-record.ts";
import type { Gateway } from "./gateway.ts";
import { clientName, sessionOf } from "./read-client.ts";
import type { Turn } from "./turn.ts";

export interface Received {
  readonly turn: Turn;
  /** Gives back the room the body took. */
  readonly release: () => void;
}

/** Begins the record of a request before anything can go wrong with it. */
export function openRecord(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
): RequestRecord {
  const record = startRecord({
    id: request.id,
    at: gateway.now(),
    tenant: identity.tenant,
    keyId: identity.keyId,
    keyName: identity.keyName,
    client: clientName(request.headers),
    protocol: protocol.name,
    path: request.path,
  });
  record.sessionId = sessionOf(request.headers);
  return record;
}

/** Reads a request and finds out where it goes. */
export async function receiveTurn(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
  record: RequestRecord,
): Promise<Received> {
  const { settings } = gateway;
  const declared = Number(headerOf(request.headers, "content-length") ?? 0);
  const release = gateway.load.holdBytes(Math.min(declared || 64 * 1024, settings.maxBodyBytes));
  try {
    const bytes = await request.readBody(settings.maxBodyBytes);
    const { fields } = protocol.body;
    const body = readJsonBody(bytes, { maxDepth: settings.maxDepth, elementsOf: fields.messages, memo: gateway.memo });
    const model = readModel(body, fields.model);
    const stream = readStream(body, fields.stream);
    record.requestedModel = model;
    record.stream = stream;
    const destination = gateway.destinations.find(model, protocol);
    record.model = destination.model;
    record.upstream = destination.upstream;
    // A summary of ours means nothing to the upstream: reading the request opens it, passing bytes on would not.
    const looks = gateway.looks.look(protocol, protocol.body.messagesOf(body.value));
    const sameProtocol = destination.protocol === protocol && !looks.sealed;
    const { bounded, signed } = looks;
    return {
      turn: { request, identity, protocol, body, bounded, signed, model, stream, destination, record, sameProtocol },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function readModel(body: JsonBody, field: string): string {
  const model = body.value[field];
  if (typeof model !== "string" || model === "" || model.length > 256) {
    throw new MidfoldError("VALIDATION_ERROR", `\`${field}\` must be the name of a model.`, { details: { field } });
  }
  return model;
}

function readStream(body: JsonBody, field: string): boolean {
  const stream = body.value[field];
  if (stream === undefined || stream === null) return false;
  if (typeof stream !== "boolean") {
    throw new MidfoldError("VALIDATION_ERROR", `\`${field}\` must be true or false.`, { details: { field } });
  }
  return stream;
}
