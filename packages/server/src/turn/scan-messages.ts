import { setImmediate as nextTurn } from "node:timers/promises";
import type { Part } from "@midfold/core";
import { fingerprint } from "@midfold/core/messages";
import { isSyntheticThinking, type Protocol, sealPrefix } from "@midfold/wire";

/** What the gateway must know of a message before it decides what to do; remembered per wire object. */
export interface MessageScan {
  /** Its size in bytes limits its tokens: text only, nothing that refers to something larger. */
  readonly bounded: boolean;
  /** It contains a summary that we encrypted and only we can open. */
  readonly sealed: boolean;
  /** It contains reasoning of another provider's model, signed by us. */
  readonly signed: boolean;
}

export interface MessageScanner {
  /** The fingerprint of the first message of the user among the first few. */
  root(protocol: Protocol, messages: readonly unknown[]): string | undefined;
  /** For all messages together: bounded if each is, sealed and signed if one is. Long lists are read in slices. */
  scan(protocol: Protocol, messages: readonly unknown[], signal?: AbortSignal): Promise<MessageScan>;
}

/** How long a scan may hold the event loop at a stretch. */
const sliceMs = 10;
/** How many messages are searched for the first one of the user. */
const searched = 6;
const unreadable: MessageScan = { bounded: false, sealed: false, signed: false };
const plain: MessageScan = { bounded: true, sealed: false, signed: false };
/**
 * As much of a text as distinguishes one conversation from another: hashing thirty megabytes would block other
 * requests.
 */
const openingChars = 64 * 1024;

export function createMessageScanner(): MessageScanner {
  const known = new WeakMap<object, MessageScan>();
  const openings = new WeakMap<object, string>();
  const scanOne = (protocol: Protocol, message: unknown): MessageScan => {
    if (typeof message !== "object" || message === null) return unreadable;
    if (isPlainText(message)) return plain;
    const before = known.get(message);
    if (before !== undefined) return before;
    const scan = examine(protocol, message);
    known.set(message, scan);
    return scan;
  };
  return {
    root: (protocol, messages) => {
      for (let at = 0; at < messages.length && at < searched; at++) {
        const message = messages[at];
        if (typeof message !== "object" || message === null) continue;
        if (isPlainText(message) && isShort(message)) {
          if (message.role === "user") return plainOpening(message);
          continue;
        }
        let opening = openings.get(message);
        if (opening === undefined) {
          opening = openingOf(protocol, message);
          openings.set(message, opening);
        }
        if (opening !== "") return opening;
      }
      return undefined;
    },
    scan: async (protocol, messages, signal) => {
      let until = performance.now() + sliceMs;
      let bounded = true;
      let sealed = false;
      let signed = false;
      for (const message of messages) {
        const one = scanOne(protocol, message);
        bounded &&= one.bounded;
        sealed ||= one.sealed;
        signed ||= one.signed;
        if (performance.now() < until) continue;
        await nextTurn();
        signal?.throwIfAborted();
        until = performance.now() + sliceMs;
      }
      return { bounded, sealed, signed };
    },
  };
}

interface PlainText {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** A role and a text and nothing else, which is most messages, means the same in every protocol. */
function isPlainText(message: object): message is PlainText {
  const { role, content } = message as Partial<PlainText>;
  if (typeof content !== "string" || (role !== "user" && role !== "assistant")) return false;
  let fields = 0;
  for (const _ in message) fields += 1;
  return fields === 2;
}

/** Hashing so little takes less time than looking up whether it was hashed before. */
const isShort = ({ content }: PlainText) => content.length > 0 && content.length <= 1_024;

function plainOpening({ role, content }: PlainText): string {
  return fingerprint({ role, parts: [{ type: "text", text: content }] });
}

/** The fingerprint of a message of the user; empty for all others. */
function openingOf(protocol: Protocol, wire: object): string {
  try {
    const [message] = protocol.format.decode([wire]);
    if (message?.role !== "user") return "";
    return fingerprint({ ...message, parts: openingParts(message.parts) });
  } catch {
    return "";
  }
}

/** The first parts of a message, their texts cut where the room for an opening ends. */
function openingParts(parts: readonly Part[]): Part[] {
  let room = openingChars;
  const cut = <TValue>(value: TValue): TValue => {
    if (typeof value === "string") {
      const kept = value.slice(0, room);
      room -= kept.length;
      return kept as TValue;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return untilFull(value, cut) as TValue;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)])) as TValue;
  };
  const untilFull = <TValue>(list: readonly TValue[], take: (value: TValue) => TValue): TValue[] => {
    const taken: TValue[] = [];
    for (const value of list) {
      if (room <= 0) break;
      taken.push(take(value));
    }
    return taken;
  };
  return untilFull(parts, cut);
}

function examine(protocol: Protocol, wire: object): MessageScan {
  try {
    const [message] = protocol.format.decode([wire]);
    if (message === undefined) return unreadable;
    const { parts } = message;
    return {
      bounded: parts.every(isBounded),
      sealed: parts.some(isSealed),
      signed: parts.some(isSyntheticThinking),
    };
  } catch {
    // The decoder that reads the whole request reports what is wrong with it.
    return unreadable;
  }
}

function isBounded(part: Part): boolean {
  if (part.type === "tool-result") return part.content.every(({ type }) => type === "text");
  return part.type === "text" || part.type === "tool-call" || part.type === "reasoning";
}

function isSealed(part: Part): boolean {
  return part.type === "other" && (JSON.stringify(part.value)?.includes(sealPrefix) ?? false);
}
