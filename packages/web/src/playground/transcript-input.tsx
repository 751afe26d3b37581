import { useQuery } from "@tanstack/react-query";
import { type DragEvent, useId, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { UploadIcon } from "../ui/icons.tsx";
import { Select } from "../ui/select.tsx";

interface TranscriptInputProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onExample: () => void;
  readonly onSession: (id: string) => void;
  readonly busy: boolean;
}

/** Paste, drop or choose a file. */
export function TranscriptInput({ value, onChange, onExample, onSession, busy }: TranscriptInputProps) {
  const id = useId();
  const file = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped !== undefined) void dropped.text().then(onChange);
    else onChange(event.dataTransfer.getData("text"));
  };
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <label htmlFor={id} className="mr-auto font-medium">
          Transcript
        </label>
        <SessionChoice onChoose={onSession} disabled={busy} />
        <Button onClick={() => file.current?.click()}>
          <UploadIcon size={15} /> Open a file
        </Button>
        <Button onClick={onExample} disabled={busy}>
          Use the long example
        </Button>
        <input
          ref={file}
          type="file"
          className="hidden"
          aria-label="Transcript file"
          accept=".json,.jsonl,.md,.txt,application/json,text/markdown,text/plain"
          onChange={(event) => {
            void event.target.files?.[0]?.text().then(onChange);
            event.target.value = "";
          }}
        />
      </div>
      <textarea
        id={id}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        placeholder={
          'Paste or drop a conversation: OpenAI, Anthropic, AI SDK, Claude Code, Codex, a chat export or Markdown, e.g.\n[{"role":"user","content":"…"}]'
        }
        className={`field h-40 font-mono text-xs ${over ? "border-accent bg-accent-soft" : ""}`}
      />
      {value !== "" && (
        <p className="text-xs text-ink-soft">{formatCount(value.length)} characters. The format is recognised.</p>
      )}
    </div>
  );
}

interface SessionChoiceProps {
  readonly onChoose: (id: string) => void;
  readonly disabled: boolean;
}

/** Chooses a conversation held in this chat. */
function SessionChoice({ onChoose, disabled }: SessionChoiceProps) {
  const found = useQuery({ queryKey: [...keys.sessions, "transcripts"], queryFn: () => api.listSessions("") });
  const sessions = found.data?.sessions ?? [];
  if (sessions.length === 0) return null;
  return (
    <Select
      aria-label="Use one of your conversations"
      value=""
      disabled={disabled}
      onChange={(id) => id !== "" && onChoose(id)}
      className="w-auto! max-w-52 text-sm"
      options={[
        ["", "Your conversations…"],
        ...sessions.map(({ id, title }) => [id, title === "" ? "Untitled" : title] as const),
      ]}
    />
  );
}
