import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { Confirm } from "../ui/confirm.tsx";
import { plural } from "../ui/format.ts";
import { EditIcon, FoldIcon, MoreIcon, TrashIcon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { RenameDialog } from "./rename-dialog.tsx";

export function SessionRow({ session }: { readonly session: Session }) {
  const [dialog, setDialog] = useState<"rename" | "delete">();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { sessionId } = useParams({ strict: false });
  const remove = async () => {
    try {
      await api.deleteSession(session.id);
      if (sessionId === session.id) await navigate({ to: "/" });
      await client.invalidateQueries({ queryKey: keys.sessions });
    } catch (error) {
      toast({ title: "The conversation was not deleted", detail: wordsOf(error), tone: "error" });
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
          <MenuItem icon={<EditIcon />} onSelect={() => setDialog("rename")}>
            Rename
          </MenuItem>
          <MenuItem icon={<TrashIcon />} danger onSelect={() => setDialog("delete")}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      <RenameDialog session={session} open={dialog === "rename"} onClose={() => setDialog(undefined)} />
      <Confirm
        open={dialog === "delete"}
        title="Delete this conversation?"
        action="Delete"
        onConfirm={() => void remove()}
        onClose={() => setDialog(undefined)}
      >
        <p>
          “{session.title}” with its {plural(session.messageCount, "message")} and all summaries goes for good. This
          cannot be undone.
        </p>
      </Confirm>
    </li>
  );
}
