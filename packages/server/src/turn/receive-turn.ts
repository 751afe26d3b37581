import { hash } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import type { Protocol } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import { headerOf, type InboundHeaders, type InboundRequest } from "../http/http-message.ts";
import { decompressBody } from "../json/decompress-body.ts";
import { type JsonBody, readJsonBody } from "../json/read-json-body.ts";
import { parseElsewhere } from "../threads/tasks.ts";
import type { Gateway } from "./gateway.ts";
import type { PreviousAnswer } from "./kept-answers.ts";
import type { Turn } from "./turn.ts";

export interface Received {
  readonly turn: Turn;
  /** Releases the memory reserved for the body. */
  readonly release: () => void;
}

/** What is known of a request before its destination is. */
export interface RequestedModel {
  readonly model: string;
  readonly stream: boolean;
}

/** Reads a request and finds its destination. `onRead` is called with its model even when there is none. */
export async function receiveTurn(
  gateway: Gateway,
  request: InboundRequest,
  identity: Identity,
  protocol: Protocol,
  onRead: (requested: RequestedModel) => void = () => undefined,
): Promise<Received> {
  const { settings } = gateway;
  const declared = Number(headerOf(request.headers, "content-length") ?? 0);
  const { upTo, release } = gateway.load.holdBytes(Math.min(declared, settings.maxBodyBytes));
  try {
    const sent = await request.readBody(settings.maxBodyBytes, upTo);
    const encoding = headerOf(request.headers, "content-encoding");
    const bytes = encoding === undefined ? sent : await decompressBody(sent, encoding, settings.maxBodyBytes);
    if (encoding !== undefined) upTo(bytes.byteLength);
    const { fields } = protocol.body;
    const read = await readJsonBody(bytes, {
      ...{ maxDepth: settings.maxDepth, maxValues: settings.maxValues, maxElements: settings.maxMessages },
      elementsOf: fields.messages,
      memo: gateway.memo,
      signal: request.signal,
      elsewhere: parseElsewhere(gateway.threads, request.signal),
    });
    assertCounts(read, protocol.body, settings);
    const model = readModel(read, fields.model);
    const stream = readStream(read, fields.stream);
    onRead({ model, stream });
    const found = gateway.locate(identity.tenant, model, protocol);
    const destination = found instanceof Promise ? await found : found;
    const at = gateway.now();
    const turn = await withHistory(gateway, {
      request,
      at,
      identity,
      protocol,
      model,
      stream,
      destination,
      body: read,
    });
    return { turn, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** A turn without what is read off its messages. */
type Unread = Pick<Turn, "request" | "at" | "identity" | "protocol" | "model" | "stream" | "destination" | "body">;

/**
 * The turn with what it refers to put in, where the upstream has no such references or keeps no answers: the conversation it
 * goes on from, and single items. An unknown reference stays, and is reported by what reads it. Only answers that the
 * upstream does not keep are kept here, so a known one is never the upstream's to find.
 */
export async function withHistory(gateway: Gateway, received: Unread): Promise<Turn> {
  const { protocol, destination, identity } = received;
  const { stored } = protocol.body;
  if (stored === undefined) return readTurn(gateway, received, undefined);
  const expected =
    destination.protocol.body.stored === undefined ||
    gateway.exchange.quirks.keepsNothing(identity.tenant, destination.upstream);
  const answerOf = (id: string) => gateway.answers.get(identity.tenant, id, expected);
  const body = await withItems(answerOf, protocol.body, received.body);
  const id = stored.previousOf(body.value);
  const items = id === undefined ? undefined : await answerOf(id);
  if (id === undefined || items === undefined) return readTurn(gateway, { ...received, body }, undefined);
  const value = stored.withHistory(body.value, items) as JsonBody["value"];
  const whole: JsonBody = { ...body, value, edited: true };
  return readTurn(gateway, { ...received, body: whole }, { id, length: items.length });
}

async function readTurn(gateway: Gateway, received: Unread, previous: PreviousAnswer | undefined): Promise<Turn> {
  const { request, identity, protocol, body, destination } = received;
  const messages = protocol.body.messagesOf(body.value);
  const { bounded, sealed, signed } = await gateway.scanner.scan(protocol, messages, request.signal);
  const sessionId = sessionOf(request.headers);
  const root = gateway.scanner.root(protocol, messages);
  return {
    ...received,
    previous,
    // With a history added, its bytes are no longer those that were sent.
    bounded: bounded && body.edited !== true,
    signed,
    key: { tenant: identity.tenant, upstream: destination.upstream, model: destination.model },
    sessionId,
    conversation:
      root === undefined || sessionId === undefined ? root : hash("sha256", `${sessionId}\n${root}`).slice(0, 16),
    compacting: isCompactionRequest(protocol, body),
    // The upstream cannot read a summary that we encrypted: it is opened when the request is read, which passing
    // bytes on would not do.
    sameProtocol: destination.protocol === protocol && !sealed,
  };
}

/** Puts items of earlier answers in the place of their names. */
async function withItems(
  answerOf: (id: string) => Promise<readonly unknown[] | undefined>,
  access: Protocol["body"],
  body: JsonBody,
): Promise<JsonBody> {
  const messages = access.messagesOf(body.value);
  const references = messages.map((message) => access.stored?.referenceOf(message));
  if (!references.some((reference) => reference !== undefined)) return body;
  const known = new Map<unknown, unknown>();
  const asked = new Set<string>();
  // The newest answer holds the whole conversation, so there is seldom a second one to read.
  for (const reference of references.toReversed()) {
    if (reference?.answer === undefined || known.has(reference.id) || asked.has(reference.answer)) continue;
    asked.add(reference.answer);
    for (const item of (await answerOf(reference.answer)) ?? []) known.set(idOf(item), item);
  }
  if (known.size === 0) return body;
  const whole = messages.map((message, at) => known.get(references[at]?.id) ?? message);
  return { ...body, value: access.withMessages(body.value, whole) as JsonBody["value"], edited: true };
}

/** Undefined is no name, so that what has none is never found. */
function idOf(item: unknown): unknown {
  return (item as { readonly id?: unknown } | null)?.id ?? Symbol("nameless");
}

/** More of these than anyone needs would cost other requests memory and time. */
function assertCounts(body: JsonBody, { fields }: Protocol["body"], { maxTools, maxParts }: Gateway["settings"]): void {
  const refuse = (what: string, count: number, most: number) => {
    throw new MidfoldError("BODY_TOO_LARGE", `The request has ${count} ${what}; this server takes ${most}.`, {
      details: { [what]: count, most },
    });
  };
  const tools = body.value.tools;
  if (Array.isArray(tools) && tools.length > maxTools) refuse("tools", tools.length, maxTools);
  let parts = 0;
  const messages = body.value[fields.messages];
  for (const message of Array.isArray(messages) ? messages : []) {
    const content = (message as { readonly content?: unknown } | null)?.content;
    if (Array.isArray(content)) parts += content.length;
  }
  if (parts > maxParts) refuse("parts", parts, maxParts);
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

const sessionHeaders = ["x-claude-code-session-id", "session-id", "thread-id", "x-session-id", "x-session-affinity"];

/** The client's own name for the conversation, where it sends one. */
export function sessionOf(headers: InboundHeaders): string | undefined {
  for (const name of sessionHeaders) {
    const value = headerOf(headers, name);
    if (value !== undefined) return value.slice(0, 128);
  }
  return undefined;
}

/** Phrases with which clients ask the model to summarize their own conversation. */
const phrases = [
  "your task is to create a detailed summary of",
  "context checkpoint compaction",
  "prompt for continuing our conversation",
  "summary for continuing our conversation",
  "you are a context summarization agent",
  "create a handoff summary",
];
/** No client asks for a summary in fewer bytes. */
const minBytes = 80;
/** Such prompts are long, but these phrases come early. */
const searchedBytes = 16 * 1024;

function isCompactionRequest(protocol: Protocol, body: JsonBody): boolean {
  if (protocol.body.compaction?.isAsked(body.value) === true) return true;
  const { bytes, scanned } = body;
  const last = scanned.elements?.at(-1);
  if (last === undefined || last.end - last.start < minBytes) return false;
  const end = Math.min(last.end, last.start + searchedBytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + last.start, end - last.start)
    .toString("latin1")
    .toLowerCase();
  return phrases.some((phrase) => text.includes(phrase));
}
