import type { Warning } from "@midfold/core";
import type { Opened } from "../exchange/open-answer.ts";
import type { Gateway } from "./gateway.ts";
import { withHistory } from "./receive-turn.ts";
import type { Turn } from "./turn.ts";

/**
 * Keeps an answer that the client may continue by its id, where the upstream would not know it: it has another protocol, or
 * its answer does not say that it is kept (vLLM, Ollama and others refuse to go on from one, or ignore that they should).
 */
export function keepAnswer(gateway: Gateway, turn: Turn, received: unknown): Promise<void> | undefined {
  const { protocol, body, identity, sameProtocol, previous, conversation } = turn;
  const { stored } = protocol.body;
  if (stored === undefined || !stored.isKept(body.value)) return undefined;
  const answer = typeof received === "string" ? (JSON.parse(received) as unknown) : received;
  if (sameProtocol) {
    if (!stored.saysKept(answer)) noteKeepsNothing(gateway, turn, "its answers do not say that they are kept");
    else if (!gateway.exchange.quirks.keepsNothing(identity.tenant, turn.destination.upstream)) return undefined;
    // What came before it is not at hand.
    if (stored.previousOf(body.value) !== undefined) return undefined;
  }
  const output = stored.outputOf(answer);
  if (output === undefined) return undefined;
  const items = [...protocol.body.messagesOf(body.value), ...output.items];
  const bytes = body.bytes.byteLength + JSON.stringify(output.items).length;
  return gateway.answers.put(identity.tenant, { id: output.id, previous, conversation, items, bytes });
}

/**
 * The turn with its history in it, where the upstream refused the answer that it goes on from and that answer is kept here.
 */
export async function goOnHere(gateway: Gateway, turn: Turn, opened: Opened): Promise<Turn | undefined> {
  const refused = refusedPrevious(turn, opened);
  if (refused === undefined) return undefined;
  // Not found says nothing of other answers: it may be an old one, or a slip of the client.
  if (!/not found/i.test(refused.text)) noteKeepsNothing(gateway, turn, "it refuses to go on from an answer");
  const whole = await withHistory(gateway, turn);
  if (whole.previous === undefined) {
    const about = { id: turn.request.id, upstream: turn.key.upstream, previous: refused.id };
    gateway.log.warn(about, "the answer that a request goes on from is known neither to the upstream nor here");
    return undefined;
  }
  noteKeepsNothing(gateway, turn, "it does not know an answer that it gave");
  return whole;
}

/** Tells that a conversation was sent whole although the client sent only its end, or that nobody knows the rest of it. */
export function aboutHistory(turn: Turn, opened: Opened): Warning[] {
  const { previous, sameProtocol } = turn;
  if (sameProtocol && previous !== undefined) {
    const message = `The upstream keeps no answers: the conversation up to ${previous.id}, which is kept here, was sent with the request.`;
    return [{ code: "history-added", message, details: { previous: previous.id, items: previous.length } }];
  }
  const refused = refusedPrevious(turn, opened);
  if (refused === undefined) return [];
  const message = `The upstream does not know ${refused.id}, and it is not kept here: the client has to send the conversation itself, or start anew.`;
  return [{ code: "history-unknown", message, details: { previous: refused.id } }];
}

/** Statuses by which servers say that they do not have an answer, or do not know the field. */
const statuses: ReadonlySet<number> = new Set([400, 404, 422, 501]);

function refusedPrevious({ protocol, body, sameProtocol }: Turn, opened: Opened) {
  const { stored } = protocol.body;
  const id = stored?.previousOf(body.value);
  if (!sameProtocol || id === undefined || opened.kind !== "failed" || opened.raw === undefined) return undefined;
  const { status, text } = opened.raw;
  return statuses.has(status) && stored?.isRefusedIn(text, id) === true ? { id, text } : undefined;
}

function noteKeepsNothing({ exchange, log }: Gateway, { identity, key }: Turn, why: string): void {
  if (!exchange.quirks.noteKeepsNothing(identity.tenant, key.upstream)) return;
  log.warn(
    { upstream: key.upstream, model: key.model, why },
    "the upstream keeps no answers: conversations that go on from one are kept here and sent whole",
  );
}
