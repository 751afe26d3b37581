import type { Part } from "@midfold/core";
import { type Protocol, sealPrefix } from "@midfold/wire";

/** What can be told of a message at a glance, remembered per wire object. */
export interface MessageLooks {
  /** Its bytes bound its tokens: text only, nothing that stands for something larger. */
  readonly bounded: boolean;
  /** It holds a summary that we sealed and only we can open. */
  readonly sealed: boolean;
}

export interface LookAtMessages {
  /** Of all messages together: bounded when each is, sealed when one is. */
  look(protocol: Protocol, messages: readonly unknown[]): MessageLooks;
}

const unreadable: MessageLooks = { bounded: false, sealed: false };

export function createMessageLooks(): LookAtMessages {
  const known = new WeakMap<object, MessageLooks>();
  const lookAtOne = (protocol: Protocol, message: unknown): MessageLooks => {
    if (typeof message !== "object" || message === null) return unreadable;
    const before = known.get(message);
    if (before !== undefined) return before;
    const looks = examine(protocol, message);
    known.set(message, looks);
    return looks;
  };
  return {
    look: (protocol, messages) => {
      let bounded = true;
      let sealed = false;
      for (const message of messages) {
        const looks = lookAtOne(protocol, message);
        bounded &&= looks.bounded;
        sealed ||= looks.sealed;
      }
      return { bounded, sealed };
    },
  };
}

function examine(protocol: Protocol, message: object): MessageLooks {
  try {
    const parts = protocol.format.decode([message]).flatMap(({ parts }) => parts);
    return { bounded: parts.every(isBounded), sealed: parts.some(isSealed) };
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
