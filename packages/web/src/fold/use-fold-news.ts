import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { formatCost, formatSeconds, formatTokens, plural } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";

const told = new Set<string>();

/** Undoes the newest summary; shows a note if that fails. */
export async function undoFold(sessionId: string): Promise<void> {
  try {
    await api.undoSummary(sessionId);
    toast({ title: "Undone", detail: "The model sees the messages word for word again." });
  } catch (error) {
    toast({ title: "It could not be undone", detail: wordsOf(error), tone: "error" });
  }
}

/** Shows a note when a conversation was folded automatically, unless that is switched off. */
export function useFoldNews(conversation: Conversation): void {
  const navigate = useNavigate();
  useEffect(
    () =>
      conversation.onEvent((event) => {
        if (event.type !== "fold.done" || event.trigger !== "auto" || !event.notify) return;
        if (told.has(event.foldId)) return;
        told.add(event.foldId);
        const { result, sessionId } = event;
        const invented = result.warnings.find(({ code }) => code === "summary-invented");
        const cost = result.costUsd === null || result.costUsd === 0 ? "" : ` · ${formatCost(result.costUsd)}`;
        toast({
          title: `Summarized ${plural(result.messagesSummarized, "message")}`,
          detail: `${formatTokens(result.tokensBefore)} → ${formatTokens(result.tokensAfter)} tokens${cost} · ${formatSeconds(result.durationMs)}${result.fellBack ? " · the model failed, so the built-in summarizer wrote it" : ""}${invented === undefined ? "" : `. ${invented.message}`}`,
          actions: [
            { label: "Undo", onClick: () => void undoFold(sessionId) },
            {
              label: "View",
              onClick: () => void navigate({ to: "/s/$sessionId", params: { sessionId }, hash: "summary" }),
            },
          ],
        });
      }),
    [conversation, navigate],
  );
}
