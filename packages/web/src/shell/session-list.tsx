import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session, UpdateSession } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { plural } from "../ui/format.ts";
import { ArchiveIcon, BranchIcon, EditIcon, FoldIcon, MoreIcon, PinIcon, TrashIcon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { toast } from "../ui/toast.tsx";
import { MessageHits } from "./message-hits.tsx";
import { removeLater, useLeaving } from "./remove-later.ts";
import { RenameDialog } from "./rename-dialog.tsx";

/** Conversations: pinned ones first, then by last use; searched by title, by words and by tag. */
export function SessionList() {
  const [search, setSearch] = useState("");
  const [tag, setTag] = useState<string>();
  const [archived, setArchived] = useState(false);
  const words = useDeferredValue(search.trim());
  const filter = { tag, archived };
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...keys.sessionList(words), filter],
    queryFn: ({ pageParam }) => api.listSessions(words, pageParam, filter),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: (previous) => previous,
  });
  const pinned = useQuery({
    queryKey: [...keys.sessions, "pinned"],
    queryFn: () => api.listSessions("", undefined, { pinned: true }),
  });
  const leaving = useLeaving();
  const stays = ({ id }: Session) => !leaving.has(id);
  const plain = words === "" && tag === undefined && !archived;
  const listed = (data?.pages.flatMap((page) => page.sessions) ?? []).filter(stays);
  const top = plain ? (pinned.data?.sessions ?? []).filter(stays) : [];
  const groups = plain
    ? [{ name: "Pinned", sessions: top }, ...groupByDate(listed.filter((session) => !session.pinned))]
    : [{ name: archived ? "Archived" : "", sessions: listed }];
  const tags = [...new Set(listed.flatMap((session) => session.tags))].sort();
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="px-3 pb-2">
        <SearchField
          id="session-search"
          label="Find a conversation"
          placeholder="Find a title or words"
          className="py-1.5"
          value={search}
          onSearch={setSearch}
        />
        {(tags.length > 0 || tag !== undefined) && (
          <fieldset className="mt-2 flex flex-wrap gap-1">
            <legend className="sr-only">Tags</legend>
            {[...new Set([...(tag === undefined ? [] : [tag]), ...tags])].slice(0, 12).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === tag}
                onClick={() => setTag(one === tag ? undefined : one)}
                className="rounded-full border border-line px-2 py-0.5 text-xs text-ink-soft hover:bg-surface aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink"
              >
                {one}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <nav aria-label="Conversations" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {error !== null && <Notice tone="error">{wordsOf(error)}</Notice>}
        {data !== undefined && listed.length === 0 && top.length === 0 && (
          <p className="px-2 py-3 text-sm text-ink-soft">
            {archived ? "Nothing is archived." : plain ? "No conversations yet." : "No title has these words."}
          </p>
        )}
        {/* One list for all groups: in a list per group, a row that changes its group loses its state and its open menu. */}
        <ul>
          {groups.flatMap(({ name, sessions }) => [
            name === "" || sessions.length === 0 ? null : <GroupHeading key={`group ${name}`} name={name} />,
            ...sessions.map((session) => <SessionRow key={session.id} session={session} />),
          ])}
        </ul>
        {hasNextPage && (
          <Button kind="quiet" className="w-full" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        )}
        {words !== "" && <MessageHits words={words} />}
        {words === "" && (
          <Button kind="quiet" className="mt-2 w-full text-ink-soft" onClick={() => setArchived(!archived)}>
            <ArchiveIcon size={15} /> {archived ? "Back to all conversations" : "Archived"}
          </Button>
        )}
      </nav>
    </div>
  );
}

function GroupHeading({ name }: { readonly name: string }) {
  return (
    <li>
      <h2 className="px-2.5 pt-3 pb-1 text-xs font-medium text-ink-soft">{name}</h2>
    </li>
  );
}

interface SessionGroup {
  readonly name: string;
  readonly sessions: readonly Session[];
}

const dayMs = 86_400_000;

/** Groups by last use: today, yesterday and so on. */
function groupByDate(sessions: readonly Session[]): readonly SessionGroup[] {
  const today = new Date().setHours(0, 0, 0, 0);
  const groups = Map.groupBy(sessions, ({ updatedAt }) => {
    const at = Date.parse(updatedAt);
    if (at >= today) return "Today";
    if (at >= today - dayMs) return "Yesterday";
    if (at >= today - 7 * dayMs) return "Last seven days";
    if (at >= today - 30 * dayMs) return "Last thirty days";
    return new Date(at).toLocaleDateString(undefined, { month: "long", year: "numeric" });
  });
  return [...groups].map(([name, sessions]) => ({ name, sessions }));
}

function SessionRow({ session }: { readonly session: Session }) {
  const [dialog, setDialog] = useState<"rename">();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const refresh = () => client.invalidateQueries({ queryKey: keys.sessions });
  const remove = () => {
    if (sessionId === session.id) void navigate({ to: "/" });
    removeLater(session, () => void refresh());
  };
  const put = async (body: UpdateSession) => {
    try {
      client.setQueryData(keys.session(session.id), await api.updateSession(session.id, body));
      await refresh();
    } catch (error) {
      toast({ title: "It was not changed", detail: wordsOf(error), tone: "error" });
    }
  };
  return (
    <li className="group relative">
      <Link
        to="/s/$sessionId"
        params={{ sessionId: session.id }}
        className="block rounded-lg py-1.5 pr-9 pl-2.5 hover:bg-surface"
        activeProps={{ className: "bg-surface font-medium" }}
        activeOptions={{ exact: false }}
      >
        <span dir="auto" className="block truncate text-left text-sm">
          {session.title}
        </span>
        <span className="flex items-center gap-1.5 text-xs font-normal text-ink-soft">
          {session.branchedFrom !== null && (
            <span title="A branch of another conversation">
              <BranchIcon size={12} />
            </span>
          )}
          {plural(session.messageCount, "message")}
          {session.foldedMessages > 0 && (
            <span className="inline-flex items-center gap-0.5">
              · <FoldIcon size={12} /> {session.foldedMessages} folded
            </span>
          )}
        </span>
      </Link>
      <div className="absolute top-1.5 right-1">
        <Menu
          trigger={
            <button
              type="button"
              aria-label={`Actions for ${session.title}`}
              className="inline-flex size-8 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
            >
              <MoreIcon />
            </button>
          }
        >
          <MenuItem icon={<PinIcon />} onSelect={() => void put({ pinned: !session.pinned })}>
            {session.pinned ? "Unpin" : "Pin"}
          </MenuItem>
          <MenuItem icon={<EditIcon />} onSelect={() => setDialog("rename")}>
            Rename and tag
          </MenuItem>
          <MenuItem icon={<ArchiveIcon />} onSelect={() => void put({ archived: !session.archived })}>
            {session.archived ? "Take out of the archive" : "Archive"}
          </MenuItem>
          <MenuItem icon={<TrashIcon />} danger onSelect={remove}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      <RenameDialog session={session} open={dialog === "rename"} onClose={() => setDialog(undefined)} />
    </li>
  );
}
