import { isValidElement, memo, type ReactNode, useEffect, useState } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CopyButton } from "../ui/copy-button.tsx";
import { Diagram } from "./diagram.tsx";
import type { MathPlugins } from "./math.ts";
import { RemoteImage } from "./remote-image.tsx";
import { hasMath, markMath } from "./write-math.ts";

export const markdownPlugins = [remarkGfm];

/** Each block has the writing direction of its own first letter. */
const auto = (Tag: "p" | "h1" | "h2" | "h3" | "h4" | "ul" | "ol" | "blockquote") =>
  function Block({ children }: { readonly children?: ReactNode }) {
    return <Tag dir="auto">{children}</Tag>;
  };

export const markdownComponents: Components = {
  p: auto("p"),
  h1: auto("h1"),
  h2: auto("h2"),
  h3: auto("h3"),
  h4: auto("h4"),
  ul: auto("ul"),
  ol: auto("ol"),
  blockquote: auto("blockquote"),
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <RemoteImage src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  // Task lists: a tick is announced by its label, since the box itself cannot be pressed.
  input: ({ checked }) => (
    <span role="img" aria-label={checked === true ? "done" : "to do"}>
      {checked === true ? "☑" : "☐"}
    </span>
  ),
  pre: ({ children }) => {
    if (!isValidElement<{ readonly className?: string; readonly children?: unknown }>(children))
      return <pre>{children}</pre>;
    const language = /language-([\w+#-]+)/.exec(children.props.className ?? "")?.[1];
    return <CodeBlock text={String(children.props.children ?? "").replace(/\n$/, "")} language={language} />;
  },
};

/** Untrusted Markdown: no raw HTML, no scripts, and nothing loaded from elsewhere unless asked for. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const math = useMath(hasMath(text));
  return (
    <div className="prose">
      <ReactMarkdown
        remarkPlugins={math === undefined ? markdownPlugins : [...markdownPlugins, math.remark]}
        rehypePlugins={math === undefined ? [] : [math.rehype]}
        components={markdownComponents}
      >
        {math === undefined ? text : markMath(text)}
      </ReactMarkdown>
    </div>
  );
});

let loaded: MathPlugins | undefined;

/** Loads the formula plugins once there is a formula. */
function useMath(wanted: boolean): MathPlugins | undefined {
  const [plugins, setPlugins] = useState(loaded);
  useEffect(() => {
    if (!wanted || plugins !== undefined) return;
    let current = true;
    void import("./math.ts").then(({ mathPlugins }) => {
      loaded = mathPlugins;
      if (current) setPlugins(mathPlugins);
    });
    return () => {
      current = false;
    };
  }, [wanted, plugins]);
  return wanted ? plugins : undefined;
}

/** Longer code is not highlighted: that would block the page. */
const longestHighlighted = 30_000;

interface CodeBlockProps {
  readonly text: string;
  readonly language?: string | undefined;
}

/** Code with its language and a copy button; a mermaid diagram as a drawing, with its code behind it. */
function CodeBlock({ text, language }: CodeBlockProps) {
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
