import { MidfoldError } from "@midfold/core";
import {
  type AppliedEdit,
  createReplyTranslator,
  type EncodedRequest,
  forwardableHeaders,
  type NeutralRequest,
  type ReplyContext,
  type ReplyTranslationOptions,
  type RequestBody,
} from "@midfold/wire";
import type { Prepared } from "../exchange/ask.ts";
import type { Window } from "../exchange/window.ts";
import { dropField } from "../json/drop-field.ts";
import type { JsonBody } from "../json/read-json-body.ts";
import { type FieldPieces, spliceObject } from "../json/splice-object.ts";
import type { FittedTurn } from "./fit-turn.ts";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/** A request ready to be sent, and how its answer is converted for the client. */
export interface PreparedTurn extends Prepared {
  readonly translation: ReplyTranslationOptions;
  /** Fields that the upstream's protocol does not have. */
  readonly dropped: readonly string[];
  /** Those of them that were part of the conversation. */
  readonly leftOut: readonly string[];
}

/** For an upstream with the client's protocol: nothing was renamed and nothing has to be enforced. */
const untranslated: EncodedRequest = {
  body: {},
  tools: { toUpstream: new Map(), toClient: new Map() },
  localStops: [],
  dropped: [],
  leftOut: [],
};

/**
 * Writes the request for the upstream: the client's own bytes where both use the same protocol, a translation
 * otherwise.
 */
export function writeRequest(
  gateway: Gateway,
  turn: Turn,
  fitted: FittedTurn,
  window: Window | undefined,
  maxOutput: number | undefined,
  appliedEdits: readonly AppliedEdit[],
): PreparedTurn {
  const { destination, protocol, request, sameProtocol } = turn;
  const changes = { messages: fitted.messages, maxOutput };
  const common = {
    upstream: destination.protocol,
    client: protocol,
    countText: (text: string) => gateway.counterFor(destination.countAs, turn.identity).count(text),
    ...(window === undefined ? {} : { window: window.tokens }),
  };
  const estimated = fitted.facts.tokensAfter;
  const bareStream = gateway.exchange.quirks.refusesStreamUsage(destination.upstream);
  if (sameProtocol) {
    const reply = answerContext(turn, { estimated, appliedEdits });
    const without = bareStream ? destination.protocol.body.fields.streamUsage : undefined;
    return {
      bytes: composeBody(turn, changes, without),
      headers: forwardableHeaders(request.headers),
      query: request.query,
      translation: { ...common, request: untranslated, reply },
      dropped: [],
      leftOut: [],
      createDecoder: () => destination.protocol.createStreamDecoder(),
    };
  }
  const neutral = protocol.decodeRequest(changedValue(turn, changes));
  const encoded = destination.protocol.encodeRequest(
    neutral,
    bareStream ? { ...destination.traits, streamUsage: false } : destination.traits,
  );
  if (encoded.leftOut.length > 0) assertSaysSomething(turn, encoded);
  const text = JSON.stringify(encoded.body);
  if (text === undefined) throw new MidfoldError("INTERNAL", "The translated request is empty.");
  const translation = {
    ...common,
    request: encoded,
    reply: answerContext(turn, { request: neutral, estimated, appliedEdits }),
  };
  return {
    // As bytes at once: a text would be measured for the record and then converted where it is sent.
    bytes: Buffer.from(text),
    // The client's protocol headers mean nothing to an upstream with another protocol.
    headers: {},
    translation,
    dropped: encoded.dropped,
    leftOut: encoded.leftOut,
    createDecoder: () => createReplyTranslator(translation),
  };
}

/** What is left of a conversation must be one: the upstream would complain of a list that the client never wrote. */
function assertSaysSomething({ protocol, destination, body: asked }: Turn, { body, leftOut }: EncodedRequest): void {
  const rest = destination.protocol.format.decode(destination.protocol.body.messagesOf(body));
  if (rest.some(({ role }) => role !== "system")) return;
  const { messages: field } = protocol.body.fields;
  const unknown = protocol.body
    .messagesOf(asked.value)
    .flatMap((message) => protocol.body.stored?.referenceOf(message)?.id ?? []);
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : "";
  const message =
    unknown.length > 0
      ? `what it refers to (${unknown[0]}${more}) is not kept here; send the items themselves instead of references to them.`
      : `nothing in it has a place in the upstream's protocol (${leftOut.join(", ")}).`;
  throw new MidfoldError("VALIDATION_ERROR", `${field}: ${message}`, { details: { param: field } });
}

export interface AnswerFacts {
  readonly request?: NeutralRequest;
  readonly estimated?: number;
  readonly appliedEdits?: readonly AppliedEdit[];
}

/** What writing an answer in the client's protocol needs besides its content. */
export function answerContext({ protocol, model, at, request: inbound }: Turn, facts: AnswerFacts = {}): ReplyContext {
  const { request, estimated = 0, appliedEdits = [] } = facts;
  return {
    id: `${protocol.idPrefix}${inbound.id.slice("req_".length)}`,
    createdAt: Math.floor(at / 1000),
    model,
    includeUsage: request?.includeUsage ?? true,
    estimatedInputTokens: estimated,
    ...(request === undefined ? {} : { request, hideReasoning: request.reasoning?.hidden ?? false }),
    ...(appliedEdits.length === 0 ? {} : { appliedEdits }),
  };
}

interface BodyChanges {
  /** Undefined keeps the message list. */
  readonly messages: readonly unknown[] | undefined;
  /** Undefined keeps the limit on the answer. */
  readonly maxOutput: number | undefined;
}

/** The request as an object with its changes, for translation. */
function changedValue(turn: Turn, changes: BodyChanges): Readonly<Record<string, unknown>> {
  const access = turn.protocol.body;
  let value: unknown = turn.body.value;
  if (changes.messages !== undefined) value = access.withMessages(value, changes.messages);
  if (changes.maxOutput !== undefined) value = access.withMaxOutput(value, changes.maxOutput);
  const { model } = turn.destination;
  const fields = value as Readonly<Record<string, unknown>>;
  return fields[access.fields.model] === model ? fields : { ...fields, [access.fields.model]: model };
}

/** Shorter bodies are sent in one piece: copying them costs less than sending pieces. */
const minPieces = 64 * 1024;

/** The bytes to send to an upstream of the same protocol: the client's own, except for what had to change. */
function composeBody(turn: Turn, changes: BodyChanges, without: string | undefined): RequestBody {
  const next = mended(turn, changes);
  const { body, protocol } = turn;
  // With a history put in, nothing in it is where the received bytes have it.
  if (body.edited === true) {
    const whole = Buffer.from(JSON.stringify(next));
    return without === undefined ? whole : dropField(whole, without);
  }
  const gone = next === body.value ? [] : Object.keys(body.value).filter((name) => !Object.hasOwn(next, name));
  if (without !== undefined) gone.push(without);
  if (next === body.value && gone.length === 0) return body.bytes;
  const pieces = new Map<string, FieldPieces>();
  const list = protocol.body.fields.messages;
  for (const name in next) {
    const value = next[name];
    if (value === body.value[name]) continue;
    pieces.set(name, name === list && Array.isArray(value) ? listPieces(body, list, value) : [JSON.stringify(value)]);
  }
  const spliced = spliceObject(body.bytes, body.scanned, pieces);
  if (gone.length === 0 && body.bytes.byteLength >= minPieces) return spliced;
  return gone.reduce<Uint8Array>((bytes, name) => dropField(bytes, name), Buffer.concat(spliced));
}

/** Repairs a request that we changed. One that is sent as the client wrote it is left alone, faults included. */
function mended(turn: Turn, changes: BodyChanges): Readonly<Record<string, unknown>> {
  const value = changedValue(turn, changes);
  const { mend } = turn.protocol.body;
  if (mend === undefined || (changes.messages === undefined && !turn.signed)) return value;
  return mend(value) as Readonly<Record<string, unknown>>;
}

/** Messages the fold left alone are sent as the bytes they arrived in. */
function listPieces(body: JsonBody, field: string, messages: readonly unknown[]): FieldPieces {
  const original = body.value[field];
  const ranges = body.scanned.elements;
  const places = new Map<unknown, number>();
  if (Array.isArray(original) && ranges?.length === original.length) {
    for (const [index, message] of original.entries()) {
      if (typeof message === "object" && message !== null) places.set(message, index);
    }
  }
  const pieces: (Uint8Array | string)[] = ["["];
  for (let index = 0; index < messages.length; index++) {
    if (index > 0) pieces.push(",");
    const place = places.get(messages[index]);
    const range = place === undefined ? undefined : ranges?.[place];
    if (range === undefined) pieces.push(JSON.stringify(messages[index]));
    else {
      // Messages that stay side by side are copied as one, with the spacing between them.
      let last = place as number;
      while (index + 1 < messages.length && places.get(messages[index + 1]) === last + 1) {
        last += 1;
        index += 1;
      }
      pieces.push(body.bytes.subarray(range.start, ranges?.[last]?.end));
    }
  }
  pieces.push("]");
  return pieces;
}
