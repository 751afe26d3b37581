import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Summary } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";

const perPage = 40;

/** The messages a summary stands for, word for word, newest last. */
export function FoldedMessages({ summary }: { readonly summary: Summary }) {
  const { sessionId } = summary;
  const { data, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [...keys.summary(sessionId, summary.id), "original"],
    queryFn: ({ pageParam }) => api.listMessages(sessionId, { before: pageParam, limit: perPage }),
    initialPageParam: String(summary.cutoffSequence + 1),
    getNextPageParam: (page) => page.before ?? undefined,
  });
  const messages = (data?.pages ?? []).toReversed().flatMap((page) => page.messages);
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        {hasNextPage && (
          <Button kind="plain" disabled={isFetching} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        )}
        <Link to="/s/$sessionId/history" params={{ sessionId }} className="text-accent underline underline-offset-2">
          View full history
        </Link>
      </div>
      {data === undefined && <Spinner />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section aria-label="Folded messages" tabIndex={0} className="grid max-h-96 gap-2 overflow-y-auto">
        {messages.map((message) => (
          <div key={message.id} className="border-l-2 border-line pl-2.5">
            <p className="text-xs font-medium text-ink-soft capitalize">{message.role}</p>
            <p className="whitespace-pre-wrap wrap-anywhere">{message.text.slice(0, 2000) || "(no words)"}</p>
          </div>
        ))}
      </section>
    </div>
  );
}
