import { useSyncExternalStore } from "react";
import { accessKey } from "../api/access-key.ts";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Session } from "../api/types.gen.ts";
import { stayMs, toast } from "../ui/toast.tsx";

let leaving: ReadonlySet<string> = new Set();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function change(next: ReadonlySet<string>): void {
  leaving = next;
  for (const listener of listeners) listener();
}

/** Ids of conversations that are deleted as soon as their note with Undo is gone. */
export const useLeaving = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => leaving,
  );

/** Takes a conversation out of sight and deletes it when the note is gone, or the page, unless that is undone. */
export function removeLater({ id, title }: Session, onRemoved: () => void): void {
  const stay = () => {
    clearTimeout(timers.get(id));
    timers.delete(id);
    change(new Set([...leaving].filter((one) => one !== id)));
  };
  const remove = async () => {
    timers.delete(id);
    try {
      await api.deleteSession(id);
      onRemoved();
    } catch (error) {
      toast({ title: "The conversation was not deleted", detail: wordsOf(error), tone: "error" });
    }
    stay();
  };
  change(new Set([...leaving, id]));
  timers.set(
    id,
    setTimeout(() => void remove(), stayMs),
  );
  toast({
    title: "Deleted",
    detail: `“${title}” with its messages and summaries.`,
    actions: [{ label: "Undo", onClick: stay }],
  });
}

// A page that is closed cannot wait for its notes.
addEventListener("pagehide", () => {
  const key = accessKey.get();
  for (const id of timers.keys()) {
    void fetch(`/api/sessions/${encodeURIComponent(id)}`, {
      method: "DELETE",
      keepalive: true,
      ...(key === null ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
  }
});
