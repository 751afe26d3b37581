import { MidfoldError } from "@midfold/core";
import { forwardableHeaders, protocolPaths, type UpstreamRequest } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { type HttpReply, headerOf, type InboundRequest } from "../http/http-message.ts";
import { decompressBody } from "../json/decompress-body.ts";
import { scanObject } from "../json/scan-object.ts";
import { spliceObject } from "../json/splice-object.ts";
import type { Gateway } from "../turn/gateway.ts";
import { forwardedHeaders } from "../turn/report-headers.ts";
import type { Destination } from "../upstreams/destination.ts";
import { protocolOfCaller } from "./list-models.ts";

/** Headers of an answer that a client needs to read it. */
const described = ["content-type", "content-disposition", "content-range", "etag", "last-modified", "location"];
/** How far into a form its model is searched; files usually come after the short fields. */
const searchedBytes = 1024 * 1024;

/** Lists of token ids are long. None of them is kept, but finding their end takes time. */
const maxValues = 2_000_000;

/**
 * Everything under `/v1` that is not a conversation (embeddings, files, images, audio, batches, …) is sent upstream
 * unchanged, and so is the answer. The model in the body decides where it goes; without one, the caller's protocol
 * does.
 */
export async function passOn(gateway: Gateway, request: InboundRequest, identity: Identity): Promise<HttpReply> {
  if (request.headers.upgrade !== undefined) {
    throw new MidfoldError("NOT_FOUND", "WebSockets are not passed on here; use the HTTP endpoint.", { status: 426 });
  }
  const { upTo, release } = gateway.load.holdBytes(0);
  try {
    const { maxBodyBytes } = gateway.settings;
    const sent = await request.readBody(maxBodyBytes, upTo);
    const encoding = headerOf(request.headers, "content-encoding");
    const body = encoding === undefined ? sent : await decompressBody(sent, encoding, maxBodyBytes);
    if (encoding !== undefined) upTo(body.byteLength);
    const reply = await send(gateway, request, identity, body);
    return { ...reply, onEnd: release };
  } catch (error) {
    release();
    throw error;
  }
}

async function send(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  body: Uint8Array,
): Promise<HttpReply> {
  const type = headerOf(request.headers, "content-type") ?? "";
  const model = modelIn(gateway, body, type);
  const protocol = protocolOfCaller(request.headers);
  const destination =
    model === undefined
      ? gateway.destinations.findAny(protocol)
      : await gateway.locate(identity.tenant, model, protocol);
  const reachable = destination?.passThrough !== true || identity.providerKey !== undefined;
  if (destination === undefined || destination.demo === true || !reachable) throw absent(request.path);
  const response = await destination.send(
    {
      method: request.method === "HEAD" ? "GET" : (request.method as NonNullable<UpstreamRequest["method"]>),
      path: pathBelow(destination, request.path),
      query: request.query,
      headers: { ...forwardableHeaders(request.headers), ...(type === "" ? {} : { "content-type": type }) },
      ...(body.byteLength === 0 ? {} : { body: withModel(body, type, model, destination) }),
      signal: request.signal,
      retryAnswers: false,
      circuit: `${identity.tenant}\n${request.path}`,
    },
    identity.providerKey,
  );
  const headers = forwardedHeaders(response.headers);
  for (const name of described) {
    const value = response.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return { status: response.status, headers, body: response.body };
}

/** The model a body names: as a field of JSON, or as a field of a form. */
function modelIn({ settings }: Gateway, body: Uint8Array, type: string): string | undefined {
  if (body.byteLength === 0) return undefined;
  if (type.startsWith("application/json")) return modelField(body, settings);
  if (!type.startsWith("multipart/form-data")) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, searchedBytes)).toString("latin1");
  // At most a few header lines: without this limit, a form of nothing but such lines would be searched for minutes.
  return /name="model"(?:\r?\n[\w-]+:[^\r\n]*){0,8}\r?\n\r?\n([^\r\n]{1,256})\r?\n/.exec(text)?.[1];
}

/** Parses only this one field: the rest is for the upstream to read, and may be long. */
function modelField(body: Uint8Array, { maxDepth }: Gateway["settings"]): string | undefined {
  const scanned = scanObject(body, { maxDepth, maxValues });
  if (scanned === "too-many-values") throw new MidfoldError("BODY_TOO_LARGE", "The body has too many values.");
  if (typeof scanned === "string") throw new MidfoldError("VALIDATION_ERROR", "The body is not a valid JSON object.");
  const range = scanned.fields.get("model");
  if (range === undefined || range.end - range.start > 1_024) return undefined;
  try {
    const model: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString());
    return typeof model === "string" && model !== "" ? model : undefined;
  } catch {
    throw new MidfoldError("VALIDATION_ERROR", "The body is not valid JSON.");
  }
}

/** An alias is replaced by the upstream's name of the model; a body that needs no change is sent byte for byte. */
function withModel(body: Uint8Array, type: string, model: string | undefined, destination: Destination): Uint8Array {
  if (model === undefined || model === destination.model || !type.startsWith("application/json")) return body;
  const scanned = scanObject(body, { maxDepth: Number.POSITIVE_INFINITY });
  if (typeof scanned === "string") return body;
  const pieces = new Map([["model", [JSON.stringify(destination.model)]]]);
  return Buffer.concat(spliceObject(body, scanned, pieces));
}

/** OpenAI's base URL ends in /v1, Anthropic's does not. */
function pathBelow({ protocol }: Destination, path: string): string {
  return protocolPaths[protocol.name].models.startsWith("/v1/") ? path : path.slice("/v1".length);
}

function absent(path: string): MidfoldError {
  return new MidfoldError("NOT_FOUND", `This server has no ${path}, and no upstream is configured that could.`, {
    details: { code: "unknown_url" },
  });
}
