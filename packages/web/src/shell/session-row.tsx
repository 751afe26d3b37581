import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session, UpdateSession } from "../api/types.gen.ts";
import { plural } from "../ui/format.ts";
import { ArchiveIcon, BranchIcon, EditIcon, FoldIcon, MoreIcon, PinIcon, TrashIcon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { removeLater } from "./remove-later.ts";
import { RenameDialog } from "./rename-dialog.tsx";

export function SessionRow({ session }: { readonly session: Session }) {
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
