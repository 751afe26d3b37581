import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";

/** Longer code is shown as it is: colouring it would hold up the page. */
const longestHighlighted = 30_000;

export function CodeBlock({ text, language }: { readonly text: string; readonly language?: string | undefined }) {
  const [coloured, setColoured] = useState<{ readonly text: string; readonly nodes: ReactNode }>();
  useEffect(() => {
    if (language === undefined || text.length > longestHighlighted) return;
    let current = true;
    void import("./highlight.tsx").then(({ highlight }) => {
      if (current) setColoured({ text, nodes: highlight(text, language) });
    });
    return () => {
      current = false;
    };
  }, [text, language]);
  return (
    <figure className="group/code overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center justify-between pr-1 pl-3 text-xs text-ink-soft">
        {language ?? "text"}
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className="overflow-x-auto px-3 pb-3 text-[13px] leading-relaxed" tabIndex={0}>
        <code>{coloured?.text === text ? coloured.nodes : text}</code>
      </pre>
    </figure>
  );
}
