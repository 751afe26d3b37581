import { useEffect, useRef, useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { ClipIcon, CloseIcon, SendIcon, StopIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { type Attachment, attach } from "./attachments.ts";

interface ComposerProps {
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly files: readonly Attachment[];
  /** Gets the current files, since several may be read at the same time. */
  readonly onFiles: (change: (files: readonly Attachment[]) => readonly Attachment[]) => void;
  readonly replying: boolean;
  readonly stopping: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Why the attachments cannot be sent. */
  readonly obstacle?: string | undefined;
  readonly children?: React.ReactNode;
}

export function Composer(props: ComposerProps) {
  const { draft, onDraft, files, onFiles, replying, stopping, onSend, onStop, obstacle, children } = props;
  /** How many files are being read. */
  const [readings, setReadings] = useState(0);
  const reading = readings > 0;
  const picker = useRef<HTMLInputElement>(null);
  const words = useRef<HTMLTextAreaElement>(null);
  // Not on a touch screen, where the keyboard would cover the messages.
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) words.current?.focus({ preventScroll: true });
  }, []);
  const take = async (list: Iterable<File>) => {
    setReadings((times) => times + 1);
    const taken = await Promise.allSettled([...list].map(attach));
    setReadings((times) => times - 1);
    onFiles((now) => [...now, ...taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))]);
    for (const one of taken) {
      if (one.status === "rejected")
        toast({ title: "The file was not attached", detail: wordsOf(one.reason), tone: "error" });
    }
  };
  const empty = draft.trim() === "" && files.length === 0;
  const send = () => {
    if (!empty && !replying && !reading && obstacle === undefined) onSend();
  };
  return (
    <div className="border-t border-line bg-page px-3 pt-2 pb-3 sm:px-6">
      <form
        className="mx-auto max-w-3xl rounded-2xl border border-line-strong bg-surface focus-within:border-accent"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void take(event.dataTransfer.files);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {reading && (
          <div className="px-4 pt-3">
            <Spinner label="Reading the file" />
          </div>
        )}
        {files.length > 0 && (
          <ul className="flex flex-wrap gap-1.5 px-3 pt-3">
            {files.map((file, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name.
              <li key={index} className="flex items-center gap-1.5 rounded-lg bg-sunken pl-2 text-sm">
                {file.part.type === "image" && file.part.data !== undefined && (
                  <img
                    src={`data:${file.part.mediaType};base64,${file.part.data}`}
                    alt=""
                    className="my-1 size-9 rounded object-cover"
                  />
                )}
                {file.name}
                <IconButton
                  small
                  label={`Remove ${file.name}`}
                  onClick={() => onFiles((now) => now.filter((one) => one !== file))}
                >
                  <CloseIcon size={14} />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        {obstacle !== undefined && (
          <p role="alert" className="px-4 pt-2 text-sm text-alarm-ink">
            {obstacle}
          </p>
        )}
        <textarea
          ref={words}
          id="composer"
          dir="auto"
          aria-label="Message"
          placeholder="Write a message"
          rows={1}
          className="field-sizing-content block max-h-52 min-h-11 w-full resize-none bg-transparent px-4 pt-3 outline-none"
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onPaste={(event) => {
            if (event.clipboardData.files.length > 0) void take(event.clipboardData.files);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") onStop();
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <IconButton label="Attach a file" onClick={() => picker.current?.click()}>
            <ClipIcon />
          </IconButton>
          <input
            ref={picker}
            type="file"
            multiple
            className="hidden"
            aria-label="Files to attach"
            onChange={(event) => {
              if (event.target.files !== null) void take([...event.target.files]);
              event.target.value = "";
            }}
          />
          <div className="min-w-0 flex-1">{children}</div>
          {replying ? (
            <IconButton
              label={stopping ? "Stopping" : "Stop"}
              disabled={stopping}
              className="bg-ink! text-page!"
              onClick={onStop}
            >
              <StopIcon size={16} />
            </IconButton>
          ) : (
            <IconButton
              label="Send"
              type="submit"
              disabled={empty || reading || obstacle !== undefined}
              className="bg-accent! text-accent-ink! disabled:bg-sunken! disabled:text-ink-soft! disabled:opacity-100!"
            >
              <SendIcon />
            </IconButton>
          )}
        </div>
      </form>
    </div>
  );
}
