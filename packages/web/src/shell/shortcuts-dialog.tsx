import { Dialog } from "../ui/dialog.tsx";
import { shortcuts } from "./shortcuts.ts";

export function ShortcutsDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2 text-sm">
        {shortcuts.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt>
              {keys.map((key) => (
                <kbd key={key} className="rounded-md border border-line-strong bg-sunken px-2 py-0.5 font-mono text-xs">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
