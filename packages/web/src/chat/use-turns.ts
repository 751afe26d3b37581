import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Message, Part, SendMessage, TurnEvent, UserPart } from "../api/types.gen.ts";
import { type Conversation, conversationOf } from "../conversation/conversation.ts";
import { toast } from "../ui/toast.tsx";

// `crypto.randomUUID` is missing on plain http pages other than localhost.
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");

const isAttachment = (part: Part): part is UserPart & Part => part.type === "image" || part.type === "file";

/** A message's text with its attachments. */
const saying = (text: string, parts: readonly UserPart[]): Pick<SendMessage, "text" | "parts"> =>
  parts.length === 0
    ? { text }
    : { parts: [...parts, ...(text.trim() === "" ? [] : [{ type: "text", text } as const])] };

export interface Turns {
  /** False when nothing was stored, so that the text goes back into the draft. */
  send(text: string, parts: readonly UserPart[], fold?: "auto" | "off"): Promise<boolean>;
  retry(message: Message): Promise<void>;
  edit(message: Message, text: string): Promise<void>;
  stop(): Promise<void>;
  /** Folds everything before the last question, then answers it again. */
  summarizeAndRetry(): Promise<void>;
  /** Removes the last question and sends it again, shortened to what fits the window. */
  clipAndSend(): Promise<void>;
}

export function useTurns(conversation: Conversation): Turns {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { sessionId } = conversation;
  const run = useCallback(async (target: Conversation, events: AsyncIterable<TurnEvent>): Promise<boolean> => {
    let started = false;
    async function* watched() {
      for await (const event of events) {
        started ||= event.type === "turn.start";
        yield event;
      }
    }
    try {
      await target.follow(watched());
      return true;
    } catch (error) {
      toast({
        title: started ? "The connection broke" : "The message was not sent",
        detail: wordsOf(error),
        tone: "error",
      });
      if (started) void target.reload();
      return started;
    }
  }, []);
  return useMemo(
    () => ({
      async send(text, parts, fold = "auto") {
        if (conversation.get().replying) return false;
        return run(conversation, api.sendMessage(sessionId, { key: newKey(), fold, ...saying(text, parts) }));
      },
      async retry(message) {
        // On a slow page, a second click can come before the button disappears.
        if (conversation.get().replying) return;
        await run(conversation, api.retryMessage(sessionId, message.id));
      },
      async edit(message, text) {
        const events = api.editMessage(sessionId, message.id, saying(text, message.parts.filter(isAttachment)));
        try {
          const first = await events.next();
          if (first.done === true || first.value.type !== "turn.start") return;
          const { session } = first.value;
          const start = first.value;
          client.setQueryData(keys.session(session.id), session);
          const branch = conversationOf(session.id);
          await branch.reload();
          async function* rest() {
            yield start;
            yield* events;
          }
          void navigate({ to: "/s/$sessionId", params: { sessionId: session.id } });
          await run(branch, rest());
        } catch (error) {
          toast({ title: "The branch was not made", detail: wordsOf(error), tone: "error" });
        }
      },
      async summarizeAndRetry() {
        const { messages } = conversation.get();
        const at = messages.findLastIndex(({ role }) => role === "user");
        const question = messages[at];
        const before = messages[at - 1];
        try {
          if (before !== undefined) await fold(sessionId, before.id);
          if (question !== undefined) await run(conversation, api.retryMessage(sessionId, question.id));
        } catch (error) {
          toast({ title: "It could not be summarized", detail: wordsOf(error), tone: "error" });
        }
      },
      async clipAndSend() {
        const { messages } = conversation.get();
        const at = messages.findLastIndex(({ role }) => role === "user");
        const question = messages[at];
        if (question === undefined) return;
        try {
          const draft = question.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
          const clipped = await api.clipDraft(sessionId, { draft, parts: question.parts.filter(isAttachment) });
          for (const { id } of messages.slice(at)) {
            conversation.receive({ type: "message.updated", message: await api.hideMessage(sessionId, id) });
          }
          const body = { key: newKey(), ...saying(clipped.draft, clipped.parts) };
          await run(conversation, api.sendMessage(sessionId, body));
        } catch (error) {
          toast({ title: "It could not be shortened", detail: wordsOf(error), tone: "error" });
        }
      },
      async stop() {
        await conversation.stop().catch((error: unknown) => {
          toast({ title: "The reply could not be stopped", detail: wordsOf(error), tone: "error" });
        });
      },
    }),
    [client, conversation, navigate, run, sessionId],
  );
}

const pollMs = 250;

/** Summarizes everything up to a message and waits until that is done. */
async function fold(sessionId: string, throughMessageId: string): Promise<void> {
  let { id, status, error } = await api.startFold(sessionId, { throughMessageId });
  while (status === "queued" || status === "running") {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    ({ id, status, error } = await api.getFold(sessionId, id));
  }
  if (status === "failed") throw new Error(error?.detail ?? "The summary could not be written.");
}
