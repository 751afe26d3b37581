import { useRef } from "react";
import { Button } from "../ui/button.tsx";
import { BookIcon, FoldIcon, PlusIcon, UploadIcon } from "../ui/icons.tsx";
import { DemoOnly } from "./demo-only.tsx";
import { DropZone, TranscriptPicker } from "./import-file.tsx";
import { PageHeader } from "./page-header.tsx";
import { useNewSession } from "./use-new-session.ts";

export function HomePage() {
  const { create, loadExample, importFile, busy } = useNewSession();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <PageHeader title="Welcome" />
      <DropZone className="flex flex-1 overflow-y-auto p-5" onFile={importFile}>
        <div className="m-auto max-w-xl text-center">
          <span className="inline-flex rounded-2xl bg-fold p-4 text-fold-ink">
            <FoldIcon size={34} />
          </span>
          <h2 className="mt-4 text-xl font-semibold">Talk as long as you like</h2>
          <p className="mx-auto mt-2 max-w-md text-ink-soft">
            When a conversation grows towards the model’s window, Midfold folds its older part into a summary. Nothing
            is deleted: you can read the original, see what was lost, and undo it.
          </p>
          <div className="mt-6 flex flex-wrap justify-center gap-2">
            <Button kind="primary" disabled={busy} onClick={() => loadExample()}>
              <BookIcon /> Load a long example
            </Button>
            <Button disabled={busy} onClick={() => create()}>
              <PlusIcon /> New conversation
            </Button>
            <Button disabled={busy} onClick={() => picker.current?.click()}>
              <UploadIcon /> Import a file
            </Button>
          </div>
          <TranscriptPicker picker={picker} label="Transcript file" onFile={importFile} />
          <DemoOnly />
          <p className="mt-5 text-sm text-ink-soft">
            The example uses the demo model, which needs no key. You can also drop a transcript anywhere here: exports
            of Midfold, OpenAI, Anthropic, Claude Code or Codex, or plain Markdown.
          </p>
        </div>
      </DropZone>
    </>
  );
}
