import { isValidElement, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";
import { RemoteImage } from "./remote-image.tsx";

const plugins = [remarkGfm];

/** Each block runs in the direction of its own first letter. */
const auto = (Tag: "p" | "h1" | "h2" | "h3" | "h4" | "ul" | "ol" | "blockquote") =>
  function Block({ children }: { readonly children?: ReactNode }) {
    return <Tag dir="auto">{children}</Tag>;
  };

const components: Components = {
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
  pre: ({ children }) => {
    if (!isValidElement<{ readonly className?: string; readonly children?: unknown }>(children))
      return <pre>{children}</pre>;
    const language = /language-([\w+#-]+)/.exec(children.props.className ?? "")?.[1];
    return <CodeBlock text={String(children.props.children ?? "").replace(/\n$/, "")} language={language} />;
  },
};

/** Markdown of a stranger: no raw HTML, no scripts, nothing loaded from elsewhere unless asked for. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
