import { setImmediate as nextTurn } from "node:timers/promises";
import type { Part } from "@midfold/core";
import { fingerprint } from "@midfold/core/messages";
import { isSyntheticThinking, type Protocol, sealPrefix } from "@midfold/wire";

/** What can be told of a message at a glance, remembered per wire object. */
export interface MessageLooks {
  /** Its bytes bound its tokens: text only, nothing that stands for something larger. */
  readonly bounded: boolean;
  /** It holds a summary that we sealed and only we can open. */
  readonly sealed: boolean;
  /** It holds thoughts that we signed for another provider's model. */
  readonly signed: boolean;
}

interface Known extends MessageLooks {
  /** Fingerprint of a message of the user; undefined for all others. */
  readonly asked: string | undefined;
}

export interface LookAtMessages {
  /** The fingerprint of the first message of the user among the first few. */
  root(protocol: Protocol, messages: readonly unknown[]): string | undefined;
  /** Of all messages together: bounded when each is, sealed and signed when one is. Long lists are read in slices. */
  look(protocol: Protocol, messages: readonly unknown[], signal?: AbortSignal): Promise<MessageLooks>;
}

/** How long a look may hold the event loop at a stretch. */
const sliceMs = 10;
/** How far to look for the first words of the user. */
const searched = 6;
const unreadable: Known = { bounded: false, sealed: false, signed: false, asked: undefined };

export function createMessageLooks(): LookAtMessages {
  const known = new WeakMap<object, Known>();
  const lookAtOne = (protocol: Protocol, message: unknown): Known => {
    if (typeof message !== "object" || message === null) return unreadable;
    const before = known.get(message);
    if (before !== undefined) return before;
    const looks = examine(protocol, message);
    known.set(message, looks);
    return looks;
  };
  return {
    root: (protocol, messages) => {
      for (let at = 0; at < messages.length && at < searched; at++) {
        const { asked } = lookAtOne(protocol, messages[at]);
        if (asked !== undefined) return asked;
      }
      return undefined;
    },
    look: async (protocol, messages, signal) => {
      let until = performance.now() + sliceMs;
      let bounded = true;
      let sealed = false;
      let signed = false;
      for (const message of messages) {
        const looks = lookAtOne(protocol, message);
        bounded &&= looks.bounded;
        sealed ||= looks.sealed;
        signed ||= looks.signed;
        if (performance.now() < until) continue;
        await nextTurn();
        signal?.throwIfAborted();
        until = performance.now() + sliceMs;
      }
      return { bounded, sealed, signed };
    },
  };
}

function examine(protocol: Protocol, wire: object): Known {
  try {
    const [message] = protocol.format.decode([wire]);
    if (message === undefined) return unreadable;
    const { parts, role } = message;
    const asked = role === "user" ? fingerprint(message) : undefined;
    return {
      bounded: parts.every(isBounded),
      sealed: parts.some(isSealed),
      signed: parts.some(isSyntheticThinking),
      asked,
    };
  } catch {
    // Whoever reads it in earnest says what is wrong with it.
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
