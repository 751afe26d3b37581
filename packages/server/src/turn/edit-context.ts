import { type AppliedEdit, applyContextEdits } from "@midfold/wire";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

export interface EditedTurn {
  readonly turn: Turn;
  readonly applied: readonly AppliedEdit[];
  /** The client asked for everything so far to be summed up, and its threshold is reached. */
  readonly compact: { readonly instructions?: string } | undefined;
}

/**
 * Makes the edits a client asks its server for (`context_management`), where the upstream speaks a protocol that has no
 * such thing. An upstream of the client's own protocol makes them itself.
 */
export function editContext(gateway: Gateway, turn: Turn): EditedTurn {
  const untouched = { turn, applied: [], compact: undefined };
  if (turn.sameProtocol) return untouched;
  const { protocol, body, destination, identity } = turn;
  const { contextEdits, system, tools, toolChoice } = protocol.decodeRequest(body.value);
  if (contextEdits.length === 0) return untouched;
  const counter = gateway.counterFor(destination.countAs, identity);
  const messages = protocol.format.decode(protocol.body.messagesOf(body.value));
  const inputTokens = counter.countMessages([...system, ...messages]) + counter.countTools(tools, toolChoice);
  const edited = applyContextEdits(messages, contextEdits, {
    countMessage: (message) => counter.countMessage(message),
    inputTokens,
  });
  if (edited.messages === messages) return { turn, applied: edited.applied, compact: edited.compaction };
  const known = new Set(messages);
  const wire = edited.messages.map((message) =>
    known.has(message) ? message.source : protocol.format.encode(message),
  );
  const value = protocol.body.withMessages(body.value, wire) as Readonly<Record<string, unknown>>;
  return {
    turn: { ...turn, body: { ...body, value, edited: true } },
    applied: edited.applied,
    compact: edited.compaction,
  };
}
