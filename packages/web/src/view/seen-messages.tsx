import { Link } from "@tanstack/react-router";
import type { ModelView } from "../api/types.gen.ts";
import { PartView } from "../chat/part-view.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { formatCount } from "../ui/format.ts";

const kinds = {
  system: { words: "system prompt", look: "bg-sunken text-ink-soft" },
  summary: { words: "summary", look: "bg-fold text-fold-ink border border-fold-line" },
  recent: { words: "word for word", look: "bg-accent-soft text-ink" },
  draft: { words: "your draft", look: "bg-sunken text-ink" },
} as const;

export function SeenMessages({ view, sessionId }: { readonly view: ModelView; readonly sessionId: string }) {
  if (view.messages.length === 0) return <p className="text-sm text-ink-soft">The request is empty so far.</p>;
  return (
    <ol className="grid grid-cols-1 gap-2">
      {view.messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a request have no ids of their own.
        <li key={index} className="[contain-intrinsic-size:auto_42px] [content-visibility:auto]">
          <Disclosure
            open={message.kind === "summary"}
            summary={
              <>
                <span className="w-16 shrink-0 text-xs text-ink-soft capitalize">{message.role}</span>
                <span className={`shrink-0 rounded-full px-2 py-px text-xs ${kinds[message.kind].look}`}>
                  {kinds[message.kind].words}
                </span>
                <span className="min-w-0 flex-1 truncate">{message.text.slice(0, 200)}</span>
                <span className="shrink-0 text-xs text-ink-soft tabular-nums">{formatCount(message.tokens)}</span>
              </>
            }
          >
            <div className="grid grid-cols-1 gap-2">
              {message.parts.map((part, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never move.
                <PartView key={place} part={part} plain />
              ))}
              {message.messageId !== null && (
                <Link
                  to="/s/$sessionId/history"
                  params={{ sessionId }}
                  hash={`m-${message.messageId}`}
                  className="text-xs text-accent underline underline-offset-2"
                >
                  In the full history
                </Link>
              )}
            </div>
          </Disclosure>
        </li>
      ))}
    </ol>
  );
}
