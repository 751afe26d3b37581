import { useSyncExternalStore } from "react";
import { CloseIcon } from "./icons.tsx";

export interface ToastAction {
  readonly label: string;
  readonly onClick: () => void;
}

export interface ToastContent {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly tone?: "plain" | "error";
  readonly actions?: readonly ToastAction[];
}

interface ShownToast extends ToastContent {
  readonly id: number;
}

/** How long a note stays. */
export const stayMs = 10_000;
let toasts: readonly ShownToast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly ShownToast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Shows a note in the corner for a while; it never takes the focus. */
export function toast(content: ToastContent): void {
  const id = nextId++;
  change([...toasts.slice(-2), { ...content, id }]);
  setTimeout(() => dismiss(id), stayMs);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-34 z-50 flex flex-col items-end gap-2 sm:right-5 sm:left-auto sm:w-96"
    >
      {shown.map((item) => (
        <div
          key={item.id}
          className={`pointer-events-auto w-full rounded-xl border bg-raised p-3 pl-4 text-sm shadow-float ${item.tone === "error" ? "border-alarm-ink" : "border-line"}`}
        >
          <div className="flex items-start justify-between gap-3">
            <div>
              <p className="font-medium">{item.title}</p>
              {item.detail !== undefined && <p className="text-ink-soft">{item.detail}</p>}
            </div>
            <button
              type="button"
              aria-label="Dismiss"
              onClick={() => dismiss(item.id)}
              className="rounded-md p-1 hover:bg-sunken"
            >
              <CloseIcon size={16} />
            </button>
          </div>
          {item.actions !== undefined && (
            <div className="mt-1 flex gap-1">
              {item.actions.map((action) => (
                <button
                  key={action.label}
                  type="button"
                  className="-ml-2 rounded-md px-2 py-1 font-medium text-accent hover:bg-sunken"
                  onClick={() => {
                    action.onClick();
                    dismiss(item.id);
                  }}
                >
                  {action.label}
                </button>
              ))}
            </div>
          )}
        </div>
      ))}
    </section>
  );
}
