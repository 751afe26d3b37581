import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Message } from "../api/types.gen.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { toast } from "../ui/toast.tsx";

/** Removes a message from the conversation, with an undo. */
export async function takeOut(conversation: Conversation, { sessionId, id }: Message): Promise<void> {
  try {
    conversation.receive({ type: "message.updated", message: await api.hideMessage(sessionId, id) });
    toast({
      title: "Taken out",
      detail: "The model no longer sees this message. It stays in the full history.",
      actions: [{ label: "Undo", onClick: () => void bringBack(conversation, sessionId, id) }],
    });
  } catch (error) {
    toast({ title: "It was not taken out", detail: wordsOf(error), tone: "error" });
  }
}

export async function bringBack(conversation: Conversation, sessionId: string, messageId: string): Promise<void> {
  try {
    conversation.receive({ type: "message.updated", message: await api.restoreMessage(sessionId, messageId) });
  } catch (error) {
    toast({ title: "It was not brought back", detail: wordsOf(error), tone: "error" });
  }
}
