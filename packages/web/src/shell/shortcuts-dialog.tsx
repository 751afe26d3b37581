import { Dialog } from "../ui/dialog.tsx";
import type { Command } from "./commands.ts";

interface ShortcutsDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly commands: readonly Command[];
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keyboard shortcuts, everywhere and while writing. */
export function ShortcutsDialog({ open, onClose, commands }: ShortcutsDialogProps) {
  const rows = [
    ...commands.flatMap(({ keys, name }) => (keys === undefined ? [] : [{ keys, name }])),
    { keys: ["/"], name: "Write a message, or search on pages that have a search" },
    { keys: ["Enter"], name: "Send; Shift + Enter makes a new line" },
    { keys: ["Esc"], name: "Stop the reply, or close what is open" },
  ];
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2 text-sm">
        {rows.map(({ keys, name }) => (
          <div key={name} className="contents">
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

export function Keys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd key={key} className="rounded-md border border-line-strong bg-sunken px-2 py-0.5 font-mono text-xs">
          {key === "Ctrl" && isMac ? "⌘" : key === "Alt" && isMac ? "⌥" : key}
        </kbd>
      ))}
    </span>
  );
}
