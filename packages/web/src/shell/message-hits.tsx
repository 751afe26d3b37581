import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { SearchHit } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Highlighted } from "../ui/highlighted.tsx";
import { Notice } from "../ui/notice.tsx";
import { shortenHit } from "./shorten-hit.ts";

/** Messages of all conversations that contain the words; each hit links to its message. */
export function MessageHits({ words }: { readonly words: string }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.searchAll(words),
    queryFn: ({ pageParam }) => api.searchAll(words, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: (previous) => previous,
    staleTime: 0,
  });
  if (error !== null) return <Notice tone="error">{wordsOf(error)}</Notice>;
  const [first] = data?.pages ?? [];
  if (first === undefined) return null;
  return (
    <section aria-labelledby="message-hits">
      <h2 id="message-hits" className="px-2.5 pt-3 pb-1 text-xs font-medium text-ink-soft">
        In messages <output className="font-normal">· {counted(first)}</output>
      </h2>
      <ul>{data?.pages.flatMap(({ hits }) => hits.map((hit) => <HitRow key={hit.messageId} hit={hit} />))}</ul>
      {hasNextPage && (
        <Button kind="quiet" className="w-full" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

const counted = ({ total, totalIsExact }: { readonly total: number; readonly totalIsExact: boolean }): string =>
  total === 0 ? "nothing found" : `${totalIsExact ? "" : "more than "}${formatCount(total)}`;

function HitRow({ hit }: { readonly hit: SearchHit }) {
  return (
    <li>
      <Link
        // A removed message is only in the history.
        to={hit.place === "hidden" ? "/s/$sessionId/history" : "/s/$sessionId"}
        params={{ sessionId: hit.sessionId }}
        hash={`m-${hit.messageId}`}
        className="block rounded-lg px-2.5 py-1.5 hover:bg-surface"
      >
        <span className="block truncate text-xs text-ink-soft">{hit.sessionTitle}</span>
        <span className="line-clamp-2 text-sm wrap-anywhere">
          <Highlighted {...shortenHit(hit)} />
        </span>
      </Link>
    </li>
  );
}
