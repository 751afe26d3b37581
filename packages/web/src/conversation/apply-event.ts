import type { Message, SessionEvent, TurnEvent } from "../api/types.gen.ts";
import type { ConversationState, FoldMarker } from "./conversation-state.ts";

/** The conversation after an event. The same event may come twice, from the turn's stream and from the session's. */
export function applyEvent(state: ConversationState, event: TurnEvent | SessionEvent): ConversationState {
  switch (event.type) {
    case "turn.start":
      return { ...upsert(state, event.userMessage), replying: true, problem: undefined, limited: undefined };
    case "reply.start":
      return { ...state, live: { messageId: event.messageId, text: "", reasoning: "", calls: [] } };
    case "reply.text":
      return withLive(state, event.messageId, (live) => ({ ...live, text: live.text + event.text }));
    case "reply.reasoning":
      return withLive(state, event.messageId, (live) => ({ ...live, reasoning: live.reasoning + event.text }));
    case "reply.tool-call": {
      const { id, name, input } = event;
      return withLive(state, event.messageId, (live) => ({ ...live, calls: [...live.calls, { id, name, input }] }));
    }
    case "reply.end":
      return { ...upsert(state, event.message), live: undefined };
    case "turn.end":
      return { ...state, replying: false, live: undefined };
    case "turn.error": {
      const after = event.message === null ? state : upsert(state, event.message);
      return { ...after, replying: false, live: undefined, problem: event.problem };
    }
    case "message.added":
    case "message.updated":
      return upsert(state, event.message);
    case "session.updated":
      return state.live === undefined ? { ...state, replying: event.session.replying } : state;
    case "context.limited":
      return { ...state, limited: event.message };
    default:
      return applyFold(state, event);
  }
}

function applyFold(state: ConversationState, event: TurnEvent | SessionEvent): ConversationState {
  switch (event.type) {
    case "fold.start": {
      const { foldId, trigger, foldLine, messages } = event;
      if (state.ended.has(foldId) || state.marker?.foldId === foldId) return state;
      return { ...state, marker: { foldId, trigger, foldLine, messages, status: "running" } };
    }
    case "fold.progress":
      if (state.marker?.foldId !== event.foldId || state.marker.status !== "running") return state;
      return { ...state, marker: { ...state.marker, progress: event.progress } };
    case "fold.failed": {
      const { foldId, trigger } = event;
      if (state.ended.has(foldId)) return state;
      // A failure may have an id of its own; it belongs to the running marker.
      const from: FoldMarker = state.marker ?? { foldId, trigger, foldLine: "", messages: 0, status: "failed" };
      // Moved to the end of the list, where the reader is, since it needs an answer.
      const marker = { ...from, foldLine: "", status: "failed", failure: event } as const;
      return { ...end(state, foldId, from.foldId), marker };
    }
    case "fold.skipped": {
      const { foldId, trigger, reason, message } = event;
      if (state.ended.has(foldId)) return state;
      const ended = end(state, foldId);
      // The other reasons mean that there was nothing to fold.
      if (reason !== "backoff" && reason !== "breaker-open") return ended;
      return {
        ...ended,
        marker: { foldId, trigger, foldLine: "", messages: 0, status: "skipped", skipped: message },
      };
    }
    case "fold.done":
    case "fold.cancelled":
      return end(state, event.foldId);
    default:
      return state;
  }
}

function end(state: ConversationState, ...ids: readonly string[]): ConversationState {
  const mine = state.marker !== undefined && ids.includes(state.marker.foldId);
  return { ...state, ended: new Set([...state.ended, ...ids]), marker: mine ? undefined : state.marker };
}

function withLive(
  state: ConversationState,
  messageId: string,
  change: (live: NonNullable<ConversationState["live"]>) => ConversationState["live"],
): ConversationState {
  const live = state.live?.messageId === messageId ? state.live : { messageId, text: "", reasoning: "", calls: [] };
  return { ...state, live: change(live) };
}

/** Puts a message at its place; one that is newer than the loaded page is left out until the list reaches the end. */
export function upsert(state: ConversationState, message: Message): ConversationState {
  const { messages } = state;
  const index = messages.findIndex(({ id }) => id === message.id);
  if (message.visibility === "hidden") {
    return index < 0 ? state : { ...state, messages: messages.toSpliced(index, 1) };
  }
  if (index >= 0) {
    // The turn's own stream is newer than a late event that says the reply began.
    if (messages[index]?.status !== "streaming" && message.status === "streaming") return state;
    return { ...state, messages: messages.with(index, message) };
  }
  const last = messages.at(-1);
  if (state.after !== null) return state;
  if (last === undefined || last.sequence < message.sequence) {
    return { ...state, messages: [...messages, message], total: state.total + 1 };
  }
  const place = messages.findIndex(({ sequence }) => sequence > message.sequence);
  // Before the first message shown there may be others that are not loaded.
  if (place < 0 || (place === 0 && state.before !== null)) return state;
  return { ...state, messages: messages.toSpliced(place, 0, message), total: state.total + 1 };
}
