import { useEffect, useId, useRef, useState } from "react";
import { Spinner } from "../ui/spinner.tsx";

interface DiagramProps {
  readonly code: string;
  readonly onFailed: () => void;
}

/** A model writes a diagram line by line; it is drawn when no line has come for this long. */
const pauseMs = 400;

/**
 * A mermaid diagram, drawn in a frame with its own policy: the drawing needs inline styles, which this page's policy
 * forbids, and it contains untrusted text, so nothing in it may load anything or run scripts.
 */
export function Diagram({ code, onFailed }: DiagramProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [ready, setReady] = useState(false);
  const [height, setHeight] = useState<number>();
  const id = useId();
  const failed = useRef(onFailed);
  failed.current = onFailed;
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      if (event.source !== frame.current?.contentWindow) return;
      const told = event.data as { readonly type?: string; readonly height?: number };
      if (told.type === "ready") setReady(true);
      if (told.type === "drawn") setHeight(Math.min(720, Math.max(60, Number(told.height) || 0)));
      if (told.type === "failed") failed.current();
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, []);
  useEffect(() => {
    if (!ready) return;
    const dark = getComputedStyle(document.documentElement).colorScheme.startsWith("dark")
      ? true
      : matchMedia("(prefers-color-scheme: dark)").matches && document.documentElement.dataset.theme !== "light";
    const timer = setTimeout(
      () => frame.current?.contentWindow?.postMessage({ code, dark, id }, location.origin),
      pauseMs,
    );
    return () => clearTimeout(timer);
  }, [ready, code, id]);
  return (
    <div className="bg-surface">
      {height === undefined && (
        <div className="px-3 py-2">
          <Spinner label="Drawing" />
        </div>
      )}
      <iframe
        ref={frame}
        title="Diagram"
        src="/diagram.html"
        className="block w-full border-0"
        style={{ height: height ?? 0 }}
      />
    </div>
  );
}
