import { MidfoldError } from "@midfold/core";
import { forwardableHeaders, protocolPaths, type UpstreamRequest } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { headerOf, type InboundRequest, type Reply } from "../http/exchange.ts";
import { dropField } from "../json/drop-field.ts";
import type { Gateway } from "../turn/gateway.ts";
import { forwardedHeaders } from "../turn/report-headers.ts";
import type { Destination } from "../upstreams/destination.ts";
import { protocolOfCaller } from "./list-models.ts";

/** Headers of an answer that a client needs to read it. */
const described = ["content-type", "content-disposition", "content-range", "etag", "last-modified", "location"];
/** How far into a form its model is looked for; files come after the short fields, mostly. */
const searchedBytes = 1024 * 1024;

/**
 * Everything under `/v1` that is no conversation (embeddings, files, images, audio, batches, …) goes to its upstream as
 * it came, and the answer comes back as it is. The model in the body decides where; without one, the caller's protocol.
 */
export async function passOn(gateway: Gateway, request: InboundRequest, identity: Identity): Promise<Reply> {
  if (request.headers.upgrade !== undefined) {
    throw new MidfoldError("NOT_FOUND", "WebSockets are not passed on here; use the HTTP endpoint.", { status: 426 });
  }
  const body = await request.readBody(gateway.settings.maxBodyBytes);
  const type = headerOf(request.headers, "content-type") ?? "";
  const model = modelIn(body, type);
  const protocol = protocolOfCaller(request.headers);
  const destination =
    model === undefined ? gateway.destinations.findAny(protocol) : gateway.destinations.find(model, protocol);
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
function modelIn(body: Uint8Array, type: string): string | undefined {
  if (type.startsWith("application/json")) {
    const value = readJson(body);
    return typeof value?.model === "string" && value.model !== "" ? value.model : undefined;
  }
  if (!type.startsWith("multipart/form-data")) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, searchedBytes)).toString("latin1");
  return /name="model"(?:\r?\n[\w-]+:[^\r\n]*)*\r?\n\r?\n([^\r\n]{1,256})\r?\n/.exec(text)?.[1];
}

function readJson(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  } catch {
    throw new MidfoldError("VALIDATION_ERROR", "The body is not valid JSON.");
  }
}

/** An alias is replaced by the name the upstream knows; a body that needs no change goes out byte for byte. */
function withModel(body: Uint8Array, type: string, model: string | undefined, destination: Destination): Uint8Array {
  if (model === undefined || model === destination.model || !type.startsWith("application/json")) return body;
  const rest = Buffer.from(dropField(body, "model")).toString().trimStart().slice(1);
  const separator = rest.trimStart().startsWith("}") ? "" : ",";
  return Buffer.from(`{"model":${JSON.stringify(destination.model)}${separator}${rest}`);
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
