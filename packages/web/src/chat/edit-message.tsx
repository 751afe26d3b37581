import { useState } from "react";
import { Button } from "../ui/button.tsx";

interface EditMessageProps {
  readonly text: string;
  readonly onCancel: () => void;
  readonly onSend: (text: string) => void;
}

export function EditMessage({ text: initial, onCancel, onSend }: EditMessageProps) {
  const [text, setText] = useState(initial);
  return (
    <form
      className="grid w-[min(36rem,80vw)] gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onSend(text);
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here.
        autoFocus
        dir="auto"
        aria-label="Edited message"
        className="field max-h-80 min-h-24"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="text-xs text-ink-soft">The answer goes into a new branch; this conversation stays as it is.</p>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={text.trim() === ""}>
          Send in a new branch
        </Button>
      </div>
    </form>
  );
}
