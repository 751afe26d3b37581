import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { Diagram } from "./diagram.tsx";

/** Longer code is shown as it is: colouring it would hold up the page. */
const longestHighlighted = 30_000;

interface CodeBlockProps {
  readonly text: string;
  readonly language?: string | undefined;
}

/** Code with its language and a way to copy it; a mermaid diagram as a drawing, with its code behind it. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const [asCode, setAsCode] = useState(false);
  const drawn = language === "mermaid" && !asCode;
  const coloured = useColours(text, drawn ? undefined : language);
  return (
    <figure className="group/code overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center justify-between pr-1 pl-3 text-xs text-ink-soft">
        {language ?? "text"}
        <span className="flex items-center gap-1">
          {language === "mermaid" && (
            <button type="button" className="rounded px-2 py-0.5 hover:bg-surface" onClick={() => setAsCode(!asCode)}>
              {asCode ? "Drawing" : "Code"}
            </button>
          )}
          <CopyButton text={text} label="Copy code" />
        </span>
      </figcaption>
      {drawn ? (
        <Diagram code={text} onFailed={() => setAsCode(true)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        <pre className="overflow-x-auto px-3 pb-3 text-[13px] leading-relaxed" tabIndex={0}>
          <code>{coloured ?? text}</code>
        </pre>
      )}
    </figure>
  );
}

function useColours(text: string, language: string | undefined): ReactNode {
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
  return coloured?.text === text ? coloured.nodes : undefined;
}
