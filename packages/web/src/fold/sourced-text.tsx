import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import type { SummaryDetail } from "../api/types.gen.ts";
import { markdownComponents, markdownPlugins } from "../markdown/markdown.tsx";

type Mark = { readonly start: number; readonly end: number; readonly messageId?: string };

/** The summary's text. Sentences with a known source link to it; sentences that nobody said are marked. */
export function SourcedText({ detail }: { readonly detail: SummaryDetail }) {
  const { text, sources, invented, sessionId } = detail;
  const rehypePlugins = useMemo(() => {
    const known = sources.flatMap(({ start, end, messageIds: [messageId] }) =>
      messageId === undefined ? [] : [{ start, end, messageId }],
    );
    return [() => (tree: Node) => markNodes(tree, [...known, ...invented])];
  }, [sources, invented]);
  const components = useMemo((): Components => {
    return {
      ...markdownComponents,
      mark: ({ children, id }) =>
        id === undefined ? (
          <mark
            title="Not in the original messages"
            className="rounded-sm bg-warn-soft text-ink underline decoration-warn decoration-wavy underline-offset-3"
          >
            {children}
          </mark>
        ) : (
          <Link
            to="/s/$sessionId"
            params={{ sessionId }}
            hash={`m-${id}`}
            title="Show where this was said"
            className="text-ink! decoration-fold-line! decoration-dotted! hover:bg-fold-line/20"
          >
            {children}
          </Link>
        ),
    };
  }, [sessionId]);
  return (
    <>
      {invented.length > 0 && (
        <p className="mb-2 text-sm text-warn-ink">
          {invented.length === 1 ? "One sentence says" : `${invented.length} sentences say`} something that is not in
          the original messages.
        </p>
      )}
      <section aria-label="Summary text" tabIndex={0} className="prose max-h-96 overflow-y-auto text-sm leading-6">
        <ReactMarkdown remarkPlugins={markdownPlugins} rehypePlugins={rehypePlugins} components={components}>
          {text}
        </ReactMarkdown>
      </section>
    </>
  );
}

interface Node {
  readonly type: string;
  readonly value?: string;
  children?: Node[] | undefined;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } };
}

/** Wraps the parts of the text that marks cover, by the positions of the tree's nodes in the source. */
function markNodes(node: Node, marks: readonly Mark[]): void {
  node.children = node.children?.flatMap((child) => {
    if (child.type === "text") return cutText(child, marks);
    if (child.tagName !== "code") markNodes(child, marks);
    return [child];
  });
}

function cutText(node: Node, marks: readonly Mark[]): Node[] {
  const value = node.value ?? "";
  const first = node.position?.start.offset;
  // With escapes or entities in it, the text is shorter than its source, so positions in it are unknown.
  if (first === undefined || (node.position?.end.offset ?? 0) - first !== value.length) return [node];
  const pieces: Node[] = [];
  let at = 0;
  for (const mark of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(mark.start - first, at);
    const to = Math.min(mark.end - first, value.length);
    if (from >= to) continue;
    if (from > at) pieces.push({ type: "text", value: value.slice(at, from) });
    const properties = mark.messageId === undefined ? {} : { id: mark.messageId };
    const children = [{ type: "text", value: value.slice(from, to) }];
    pieces.push({ type: "element", tagName: "mark", properties, children });
    at = to;
  }
  if (at < value.length) pieces.push({ type: "text", value: value.slice(at) });
  return pieces;
}
