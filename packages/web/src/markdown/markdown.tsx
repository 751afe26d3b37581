import { isValidElement, memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // A picture's address can tell its owner who reads: it is opened by a click, never by reading.
  img: ({ src, alt }) => <RemoteImage src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  pre: ({ children }) => {
    if (!isValidElement<{ readonly className?: string; readonly children?: unknown }>(children))
      return <pre>{children}</pre>;
    const language = /language-([\w+#-]+)/.exec(children.props.className ?? "")?.[1];
    return <CodeBlock text={String(children.props.children ?? "").replace(/\n$/, "")} language={language} />;
  },
};

function RemoteImage({ src, alt }: { readonly src: string; readonly alt: string }) {
  if (src === "") return <span>[image: {alt}]</span>;
  return (
    <a
      href={src}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="inline-flex rounded-lg border border-line px-2 py-1 text-sm"
    >
      Image{alt === "" ? "" : `: ${alt}`} · opens {hostOf(src)} in a new tab
    </a>
  );
}

function hostOf(address: string): string {
  try {
    return new URL(address, location.href).host;
  } catch {
    return "its page";
  }
}

/** Markdown of a stranger: no raw HTML, no scripts, nothing loaded from elsewhere. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
