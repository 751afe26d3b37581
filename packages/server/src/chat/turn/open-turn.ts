import type { Chat } from "../chat.ts";
import { listenForStops } from "../events/listen-for-stops.ts";
import { replyKey } from "./running-work.ts";

/** A turn that can be stopped, by this replica or any other. */
export interface OpenTurn {
  readonly signal: AbortSignal;
  close(): void;
}

/** Opened before anything of the turn is stored, so that a stop always finds it. */
export async function openTurn(chat: Chat, sessionId: string): Promise<OpenTurn> {
  const { signal, end } = chat.running.begin(replyKey(chat.store.owner, sessionId));
  try {
    const stopListening = await listenForStops(chat);
    return {
      signal,
      close() {
        end();
        stopListening();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}
