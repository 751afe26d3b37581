import { type ReactNode, useState } from "react";
import { RightIcon } from "./icons.tsx";

interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
}

/** A row that opens; its content is only rendered while open. */
export function Disclosure({ summary, children, open: initial = false }: DisclosureProps) {
  const [open, setOpen] = useState(initial);
  return (
    <div className="rounded-lg border border-line bg-surface text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 rounded-lg px-3 py-2 text-left hover:bg-sunken"
      >
        <span className={`text-ink-soft transition-transform ${open ? "rotate-90" : ""}`}>
          <RightIcon size={15} />
        </span>
        {summary}
      </button>
      {open && <div className="border-t border-line px-3 py-2">{children}</div>}
    </div>
  );
}
