import { isMidfoldError, textOf } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { toMessage } from "../context/to-message.ts";
import { untitled } from "../sessions/untitled.ts";
import type { PreparedTurn } from "./prepare-turn.ts";

const longest = 60;

/** A session nobody named is called by the first words said in it. */
export async function nameSession(chat: Chat, store: OwnerStore, { session, user }: PreparedTurn): Promise<void> {
  if (session.title !== untitled) return;
  const words = textOf(toMessage(user)).replaceAll(/\s+/g, " ").trim();
  if (words === "") return;
  const characters = [...words];
  const title =
    characters.length <= longest
      ? words
      : `${characters
          .slice(0, longest - 1)
          .join("")
          .trimEnd()}…`;
  try {
    await store.sessions.update(session.id, { title }, session.version);
  } catch (error) {
    // Somebody named it meanwhile, or it is gone: both are fine.
    if (!isMidfoldError(error, "VERSION_CONFLICT") && !isMidfoldError(error, "NOT_FOUND")) {
      chat.log.warn({ err: error, sessionId: session.id }, "a session could not be named");
    }
  }
}
