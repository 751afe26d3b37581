import { MidfoldError } from "@midfold/core";
import { type ModelEntry, type Protocol, protocols } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { HttpReply, InboundHeaders, InboundRequest } from "../http/http-message.ts";
import { replyJson } from "../http/reply-json.ts";
import type { Gateway } from "../turn/gateway.ts";

/** The protocol of a caller, on a path that several protocols share, by headers that only one of them has. */
export function protocolOfCaller(headers: InboundHeaders): Protocol {
  const anthropic = headers["anthropic-version"] !== undefined || headers["x-api-key"] !== undefined;
  return anthropic ? protocols["anthropic-messages"] : protocols["openai-chat"];
}

export async function listModels(gateway: Gateway, request: InboundRequest, { tenant }: Identity): Promise<HttpReply> {
  const query = new URLSearchParams(request.query);
  const limit = Number(query.get("limit") ?? Number.NaN);
  const afterId = query.get("after_id");
  const beforeId = query.get("before_id");
  const page = {
    ...(Number.isInteger(limit) && limit > 0 ? { limit } : {}),
    ...(afterId === null ? {} : { afterId }),
    ...(beforeId === null ? {} : { beforeId }),
  };
  const entries = await gateway.modelsOf(tenant);
  return replyJson(200, protocolOfCaller(request.headers).encodeModels(entries, page));
}

export async function getModel(
  gateway: Gateway,
  request: InboundRequest,
  { tenant }: Identity,
  prefix: string,
): Promise<HttpReply> {
  const id = decodeId(request.path.slice(prefix.length));
  const protocol = protocolOfCaller(request.headers);
  const listed = (await gateway.modelsOf(tenant)).find((model) => model.id === id);
  const entry = listed ?? (await unlisted(gateway, tenant, id, protocol));
  return replyJson(200, protocol.encodeModel(entry));
}

/** A model that is in no list may still be served by a pattern. */
async function unlisted(gateway: Gateway, tenant: string, id: string, protocol: Protocol): Promise<ModelEntry> {
  const { info, upstream } = await gateway.locate(tenant, id, protocol);
  return { id, ownedBy: upstream, contextWindow: info.window, maxOutputTokens: info.maxOutput };
}

function decodeId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new MidfoldError("VALIDATION_ERROR", "The model's name in the path is not encoded correctly.");
  }
}
