import { type Message, type Role, textMessage } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import type { Edit } from "./fold-record.ts";

/** A conversation after a fold. */
export interface Edited {
  readonly messages: readonly Message[];
  /** For each message, where it stood before, or -1 when it is new or changed. Ascending where not -1. */
  readonly origins: readonly number[];
}

/** An edit that puts in a message of these words. */
export function insert(before: number, role: Role, text: string): Edit {
  return { do: "insert", before, ...textMessage(role, text) };
}

/** Carries out edits. Messages no edit touches are the same objects as before. */
export function applyEdits(messages: readonly Message[], edits: readonly Edit[]): Edited {
  const out: Message[] = [];
  const origins: number[] = [];
  let at = 0;
  const copyUpTo = (end: number) => {
    for (; at < end; at++) {
      out.push(messages[at]!);
      origins.push(at);
    }
  };
  const add = (message: Message) => {
    out.push(message);
    origins.push(-1);
  };
  for (const edit of edits) {
    switch (edit.do) {
      case "drop":
        copyUpTo(edit.first);
        at = Math.max(at, edit.last + 1);
        break;
      case "insert":
        copyUpTo(edit.before);
        add({ role: edit.role, parts: edit.parts });
        break;
      case "parts": {
        copyUpTo(edit.at);
        const message = messages[edit.at]!;
        const parts: Part[] = edit.parts.map((part) => (typeof part === "number" ? message.parts[part]! : part));
        add({ ...message, parts });
        at = edit.at + 1;
        break;
      }
    }
  }
  copyUpTo(messages.length);
  return { messages: out, origins };
}
