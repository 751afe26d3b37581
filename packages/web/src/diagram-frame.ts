import mermaid from "mermaid";
import "./diagram-frame.css";

/** The page inside the frame: draws what it is sent, and reports the height of the drawing. */
const target = document.getElementById("drawing") as HTMLElement;
let latest = 0;

addEventListener("message", async (event: MessageEvent) => {
  if (event.source !== parent) return;
  const { code, dark } = event.data as { readonly code?: unknown; readonly dark?: unknown };
  if (typeof code !== "string") return;
  const mine = ++latest;
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark === true ? "dark" : "neutral" });
  try {
    const { svg } = await mermaid.render(`drawing-${mine}`, code);
    if (mine !== latest) return;
    target.innerHTML = svg;
    parent.postMessage({ type: "drawn", height: target.scrollHeight + 16 }, location.origin);
  } catch {
    if (mine === latest) parent.postMessage({ type: "failed" }, location.origin);
  }
});
parent.postMessage({ type: "ready" }, location.origin);
