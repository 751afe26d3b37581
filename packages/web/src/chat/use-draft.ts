import { useCallback, useEffect, useState } from "react";
import type { Attachment } from "./attachments.ts";

export interface Draft {
  readonly text: string;
  readonly files: readonly Attachment[];
  readonly setText: (text: string) => void;
  readonly setFiles: (change: (files: readonly Attachment[]) => readonly Attachment[]) => void;
  /** Clears the draft and returns what was in it. */
  readonly take: () => Written;
  /** Replaces the text and files, unless something else was written meanwhile. */
  readonly replace: (written: Written, by: Written) => void;
  /** Puts back what could not be sent, unless something else was written meanwhile. */
  readonly restore: (written: Written) => void;
}

interface Written {
  readonly text: string;
  readonly files: readonly Attachment[];
}

const storageName = (sessionId: string) => `midfold.draft.${sessionId}`;
const files = new Map<string, readonly Attachment[]>();

/** The unsent message of a conversation. It survives a change of page; its text also survives a reload. */
export function useDraft(sessionId: string): Draft {
  const [text, setText] = useState(() => localStorage.getItem(storageName(sessionId)) ?? "");
  const [attached, setAttached] = useState(files.get(sessionId) ?? []);
  useEffect(() => {
    try {
      if (text === "") localStorage.removeItem(storageName(sessionId));
      else localStorage.setItem(storageName(sessionId), text);
    } catch {
      // The browser's storage is full: the text is kept in this tab only.
    }
  }, [sessionId, text]);
  useEffect(() => {
    files.set(sessionId, attached);
  }, [sessionId, attached]);
  const take = useCallback(() => {
    setText("");
    setAttached([]);
    return { text, files: attached };
  }, [text, attached]);
  const restore = useCallback((written: Written) => {
    setText((now) => (now === "" ? written.text : now));
    setAttached((now) => (now.length === 0 ? written.files : now));
  }, []);
  const replace = useCallback((written: Written, by: Written) => {
    setText((now) => (now === written.text ? by.text : now));
    setAttached((now) => (now === written.files ? by.files : now));
  }, []);
  return { replace, text, files: attached, setText, setFiles: setAttached, take, restore };
}
