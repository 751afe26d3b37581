import { useEffect } from "react";

const isWriting = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** j and k move through the elements marked `data-row`; Escape leaves the search field, then calls `onClear`. */
export function useListKeys(onClear: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
      if (event.key === "Escape") {
        if (isWriting(event.target)) event.target.blur();
        else onClear();
        return;
      }
      if (isWriting(event.target) || (event.key !== "j" && event.key !== "k")) return;
      const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
      const at = rows.indexOf(document.activeElement as HTMLElement);
      const next = event.key === "j" ? Math.min(rows.length - 1, at + 1) : Math.max(0, at - 1);
      rows[next]?.focus();
      rows[next]?.scrollIntoView({ block: "nearest" });
      event.preventDefault();
    };
    // Runs before the shell's own shortcuts, one of which is k.
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [onClear]);
}
