import { api } from "../api/api.ts";
import type { Message, SessionEvent, TurnEvent } from "../api/types.gen.ts";
import { applyEvent, upsert } from "./apply-event.ts";
import { type ConversationState, emptyConversation } from "./conversation-state.ts";

const pageSize = 200;

export interface Conversation {
  readonly sessionId: string;
  get(): ConversationState;
  subscribe(listener: () => void): () => void;
  /** Called once for every event of the session. */
  onEvent(listener: (event: TurnEvent | SessionEvent) => void): () => void;
  receive(event: TurnEvent | SessionEvent): void;
  /** Starts reading the newest page before the component that shows it has loaded. */
  begin(): void;
  /** Called when shown: reads the newest page, unless that has begun or the reader is at an older one. */
  open(): void;
  /** Reads the newest page again, unless a reply is being written here. */
  reload(): Promise<void>;
  /** Called once events arrive: reads what happened between reading the messages and the first event. */
  catchUp(): Promise<void>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Shows the page around a message; false when it is in view already. */
  showAround(messageId: string): Promise<boolean>;
  /** Shows the page that begins the conversation. */
  showFirst(): Promise<void>;
  /** Follows the events of a turn to its end. */
  follow(events: AsyncIterable<TurnEvent>): Promise<void>;
  /** Stops the turn; one that the server has not confirmed yet is stopped as soon as it has. */
  stop(): Promise<void>;
  dismissMarker(): void;
}

export interface ConversationOptions {
  /** Includes messages that a retry replaced or a person removed. */
  readonly hidden?: boolean;
}

export function createConversation(sessionId: string, { hidden = false }: ConversationOptions = {}): Conversation {
  let state: ConversationState = emptyConversation;
  let frame: number | undefined;
  const listeners = new Set<() => void>();
  const eventListeners = new Set<(event: TurnEvent | SessionEvent) => void>();
  const tell = () => {
    frame = undefined;
    for (const listener of listeners) listener();
  };
  const set = (next: ConversationState) => {
    if (next === state) return;
    state = next.stopping && !next.replying ? { ...next, stopping: false } : next;
    // Words arrive faster than screens are drawn: everything since the last frame is painted at once. A hidden tab
    // paints nothing.
    if (frame === undefined && document.visibilityState === "visible") frame = requestAnimationFrame(tell);
    else if (document.visibilityState !== "visible") tell();
  };
  let following = false;
  /** Messages reported by events while a list was loading: the list may be older than they are. */
  let toldMeanwhile: Message[] = [];
  /** Increased by everything that says whether a reply is being written. */
  let repliesTold = 0;
  const receive = (event: TurnEvent | SessionEvent) => {
    const next = applyEvent(state, event);
    const message = messageOf(event);
    if (message !== undefined) toldMeanwhile.push(message);
    if (event.type === "session.updated" || event.type.startsWith("turn.")) repliesTold += 1;
    // For a turn followed here, its own stream knows best whether it still runs.
    set(following && event.type === "session.updated" ? { ...next, replying: state.replying } : next);
    for (const listener of eventListeners) listener(event);
  };
  let loading = Promise.resolve();
  /**
   * One list at a time. `load` returns a function of the then current state, since words keep arriving while a list
   * loads.
   */
  const read = async (load: () => Promise<(now: ConversationState) => Partial<ConversationState>>) => {
    while (state.loadingMore) await loading;
    const loaded = Promise.withResolvers<void>();
    loading = loaded.promise;
    toldMeanwhile = [];
    set({ ...state, loadingMore: true });
    try {
      const change = await load();
      set(toldMeanwhile.reduce(upsert, { ...state, ...change(state) }));
    } finally {
      set({ ...state, loadingMore: false });
      loaded.resolve();
    }
  };
  const page = (load: Parameters<typeof read>[0]) =>
    read(load).catch((failure: unknown) => {
      set({ ...state, phase: state.phase === "ready" ? "ready" : "failed", failure });
    });
  const reload = () =>
    page(async () => {
      const told = repliesTold;
      const { messages, total, before, after } = await api.listMessages(sessionId, { limit: pageSize, hidden });
      return ({ replying }) => ({
        phase: "ready",
        failure: undefined,
        messages,
        total,
        before,
        after,
        replying: told === repliesTold ? messages.at(-1)?.status === "streaming" : replying,
      });
    });
  let begun = false;
  /**
   * Settles when the server has accepted the turn: a stop that arrives before the message would find nothing to stop.
   */
  let confirmed: Promise<void> = Promise.resolve();
  return {
    sessionId,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    receive,
    begin() {
      if (state.phase !== "loading" || begun) return;
      begun = true;
      void reload();
    },
    open() {
      if (!begun && state.after === null && !following) void reload();
      begun = false;
    },
    async reload() {
      if (!following) await reload();
    },
    async catchUp() {
      await loading;
      if (following || state.phase !== "ready" || state.after !== null) return;
      const { messages } = await api.listMessages(sessionId, { limit: 1, hidden });
      const newest = messages.at(-1);
      const known = state.messages.at(-1);
      if (following) return;
      if (newest?.id !== known?.id || newest?.status !== known?.status || newest?.status === "streaming")
        await reload();
    },
    async loadOlder() {
      const { before } = state;
      if (before === null || state.loadingMore) return;
      await page(async () => {
        const older = await api.listMessages(sessionId, { before, limit: pageSize, hidden });
        return ({ messages }) => ({ messages: join(older.messages, messages), before: older.before });
      });
    },
    async loadNewer() {
      const { after } = state;
      if (after === null || state.loadingMore) return;
      await page(async () => {
        const newer = await api.listMessages(sessionId, { after, limit: pageSize, hidden });
        return ({ messages }) => ({ messages: join(messages, newer.messages), after: newer.after });
      });
    },
    async showAround(messageId) {
      while (state.loadingMore) await loading;
      if (state.messages.some(({ id }) => id === messageId)) return false;
      await read(async () => {
        const { messages, total, before, after } = await api.listMessages(sessionId, {
          around: messageId,
          limit: pageSize,
          hidden,
        });
        return () => ({ phase: "ready", messages, total, before, after });
      });
      return true;
    },
    async showFirst() {
      if (state.before === null) return;
      await page(async () => {
        const first = await api.listMessages(sessionId, { after: "0", limit: pageSize, hidden });
        return () => ({
          phase: "ready",
          messages: first.messages,
          total: first.total,
          before: null,
          after: first.after,
        });
      });
    },
    async follow(events) {
      following = true;
      repliesTold += 1;
      let confirm = () => {};
      confirmed = new Promise((resolve) => {
        confirm = resolve;
      });
      // A fold that was put off belonged to the turn before. Cleared before this turn starts, since its own events may
      // arrive first by the session's stream.
      set({ ...state, replying: true, marker: state.marker?.status === "skipped" ? undefined : state.marker });
      try {
        for await (const event of events) {
          receive(event);
          confirm();
        }
      } finally {
        following = false;
        repliesTold += 1;
        confirm();
        if (state.replying) set({ ...state, replying: false, live: undefined });
      }
    },
    async stop() {
      if (!state.replying || state.stopping) return;
      set({ ...state, stopping: true });
      await confirmed;
      if (!state.replying) return;
      try {
        await api.stopReply(sessionId);
      } catch (error) {
        set({ ...state, stopping: false });
        throw error;
      }
    },
    dismissMarker: () => set({ ...state, marker: undefined }),
  };
}

/** The message that an event contains, if it does. */
function messageOf(event: TurnEvent | SessionEvent): Message | undefined {
  switch (event.type) {
    case "turn.start":
      return event.userMessage;
    case "reply.end":
    case "message.added":
    case "message.updated":
      return event.message;
    case "turn.error":
      return event.message ?? undefined;
    default:
      return undefined;
  }
}

function join(older: readonly Message[], newer: readonly Message[]): readonly Message[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...older.filter(({ id }) => !known.has(id)), ...newer];
}

const mostKept = 6;
const kept = new Map<string, Conversation>();

/** The conversation of a session; the last few used are kept. */
export function conversationOf(sessionId: string): Conversation {
  const conversation = kept.get(sessionId) ?? createConversation(sessionId);
  kept.delete(sessionId);
  kept.set(sessionId, conversation);
  for (const [id, { get }] of kept) {
    if (kept.size <= mostKept) break;
    if (!get().replying) kept.delete(id);
  }
  return conversation;
}
