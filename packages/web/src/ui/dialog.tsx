import { type ReactNode, useEffect, useId, useRef } from "react";
import { CloseIcon } from "./icons.tsx";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons at the bottom, always in view. */
  readonly footer?: ReactNode;
  readonly wide?: boolean;
}

const firstField = "[data-body] :is(input, textarea, select):not([disabled])";
const firstButton = "footer button, [data-body]";

/** A modal dialog: the browser's own, which traps focus, closes on Escape and needs no inline style. */
export function Dialog({ open, onClose, title, children, footer, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      dialog.showModal();
      // The browser would focus the first button, which closes the dialog.
      (dialog.querySelector<HTMLElement>(firstField) ?? dialog.querySelector<HTMLElement>(firstButton))?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on the backdrop.
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
      // The browser reports it a moment later, when the dialog may be open again.
      onClose={() => element.current?.open !== true && onClose()}
      onClick={(event) => event.target === element.current && onClose()}
      className={`m-auto max-h-[92dvh] w-[calc(100vw-1.5rem)] overflow-hidden rounded-2xl border border-line bg-surface p-0 text-ink shadow-float open:flex open:flex-col ${wide ? "max-w-3xl" : "max-w-lg"}`}
    >
      {open && (
        <>
          <header className="flex items-center justify-between gap-4 border-b border-line px-5 py-3">
            <h2 id={titleId} className="text-base font-semibold">
              {title}
            </h2>
            <button type="button" aria-label="Close" onClick={onClose} className="-mr-2 rounded-lg p-2 hover:bg-sunken">
              <CloseIcon />
            </button>
          </header>
          <div data-body tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto px-5 py-4 outline-none">
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </>
      )}
    </dialog>
  );
}
