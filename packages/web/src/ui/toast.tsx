import { type SyntheticEvent, useCallback, useEffect, useRef, useSyncExternalStore } from "react";
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
  /** Called once it is no longer shown, whatever the reason. */
  readonly onGone?: () => void;
}

interface ShownToast extends ToastContent {
  readonly id: number;
}

/** How long a note stays. */
const stayMs = 10_000;
let toasts: readonly ShownToast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly ShownToast[]): void {
  const gone = toasts.filter((one) => !next.includes(one));
  toasts = next;
  for (const listener of listeners) listener();
  for (const { onGone } of gone) onGone?.();
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Shows a note in the corner for a while; it never takes the focus. */
export function toast(content: ToastContent): void {
  const id = nextId++;
  change([...toasts.slice(-2), { ...content, id }]);
}

/**
 * Removes a note after its time, which starts again when the pointer or the focus leaves it, so that it can be read.
 */
function useStay(id: number): { readonly [name: string]: (event: SyntheticEvent<HTMLElement>) => void } {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hold = useCallback(() => clearTimeout(timer.current), []);
  const start = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => dismiss(id), stayMs);
  }, [id]);
  useEffect(() => {
    start();
    return hold;
  }, [start, hold]);
  const leave = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    // The pointer may leave while the focus stays, or the other way round.
    requestAnimationFrame(() => {
      if (!currentTarget.matches(":hover, :focus-within")) start();
    });
  };
  return { onPointerEnter: hold, onFocus: hold, onPointerLeave: leave, onBlur: leave };
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
        <Note key={item.id} item={item} />
      ))}
    </section>
  );
}

function Note({ item }: { readonly item: ShownToast }) {
  const stay = useStay(item.id);
  return (
    <div
      {...stay}
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
  );
}
