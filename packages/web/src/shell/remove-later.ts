import { useSyncExternalStore } from "react";
import { accessKey } from "../api/access-key.ts";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Session } from "../api/types.gen.ts";
import { toast } from "../ui/toast.tsx";

let leaving: ReadonlySet<string> = new Set();
/** Those that are not deleted yet. */
const waiting = new Set<string>();
const listeners = new Set<() => void>();

function change(next: ReadonlySet<string>): void {
  leaving = next;
  for (const listener of listeners) listener();
}

/** Ids of conversations that will be deleted when their note with Undo disappears. */
export const useLeaving = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => leaving,
  );

/** Hides a conversation and deletes it when the note, or the page, is closed, unless that is undone. */
export function removeLater({ id, title }: Session, onRemoved: () => void): void {
  const stay = () => {
    waiting.delete(id);
    change(new Set([...leaving].filter((one) => one !== id)));
  };
  const remove = async () => {
    if (!waiting.delete(id)) return;
    try {
      await api.deleteSession(id);
      onRemoved();
    } catch (error) {
      toast({ title: "The conversation was not deleted", detail: wordsOf(error), tone: "error" });
    }
    stay();
  };
  change(new Set([...leaving, id]));
  waiting.add(id);
  toast({
    title: "Deleted",
    detail: `“${title}” with its messages and summaries.`,
    actions: [{ label: "Undo", onClick: stay }],
    onGone: () => void remove(),
  });
}

// A page that is being closed cannot wait for its notes.
addEventListener("pagehide", () => {
  const key = accessKey.get();
  for (const id of waiting) {
    void fetch(`/api/sessions/${encodeURIComponent(id)}`, {
      method: "DELETE",
      keepalive: true,
      ...(key === null ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
  }
});
