import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { RenameDialog } from "../shell/rename-dialog.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import {
  BranchIcon,
  DownloadIcon,
  EditIcon,
  EyeIcon,
  FoldIcon,
  GearIcon,
  HistoryIcon,
  MoreIcon,
} from "../ui/icons.tsx";
import { Menu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { useOpened } from "../ui/use-opened.ts";

const ConversationSettings = lazy(async () => ({
  default: (await import("./conversation-settings.tsx")).ConversationSettings,
}));

interface SessionToolsProps {
  readonly session: Session;
  readonly onFold: () => void;
}

/** Actions on a conversation: some as buttons where there is room, all of them in the menu. */
export function SessionTools({ session, onFold }: SessionToolsProps) {
  const [renaming, setRenaming] = useState(false);
  const [configuring, setConfiguring] = useState(false);
  const configureOpened = useOpened(configuring);
  const navigate = useNavigate();
  const params = { sessionId: session.id };
  const { branchedFrom } = session;
  const branches = useQuery({
    queryKey: [...keys.sessions, "branches", session.id],
    queryFn: () => api.listSessions("", undefined, { branchesOf: session.id }),
  });
  return (
    <div className="flex items-center">
      <IconButton label="Summarize conversation history" onClick={onFold}>
        <FoldIcon />
      </IconButton>
      <Link
        to="/s/$sessionId/history"
        params={params}
        aria-label="View full history"
        title="View full history"
        className="hidden size-9 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink sm:inline-flex"
      >
        <HistoryIcon />
      </Link>
      <Link
        to="/s/$sessionId/view"
        params={params}
        aria-label="What the model sees"
        title="What the model sees"
        className="hidden size-9 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink sm:inline-flex"
      >
        <EyeIcon />
      </Link>
      <Menu
        trigger={
          <button
            type="button"
            aria-label="Conversation menu"
            className="inline-flex size-9 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
          >
            <MoreIcon />
          </button>
        }
      >
        <MenuItem icon={<FoldIcon />} onSelect={onFold}>
          Summarize conversation history
        </MenuItem>
        <MenuItem icon={<HistoryIcon />} onSelect={() => void navigate({ to: "/s/$sessionId/history", params })}>
          View full history
        </MenuItem>
        <MenuItem icon={<EyeIcon />} onSelect={() => void navigate({ to: "/s/$sessionId/view", params })}>
          What the model sees
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<EditIcon />} onSelect={() => setRenaming(true)}>
          Rename and tag
        </MenuItem>
        <MenuItem icon={<GearIcon />} onSelect={() => setConfiguring(true)}>
          Model and prompt
        </MenuItem>
        {branchedFrom !== null && (
          <MenuItem
            icon={<BranchIcon />}
            onSelect={() => void navigate({ to: "/s/$sessionId", params: { sessionId: branchedFrom.sessionId } })}
          >
            Go to where this branched off
          </MenuItem>
        )}
        {branches.data?.sessions.slice(0, 8).map(({ id, title }) => (
          <MenuItem
            key={id}
            icon={<BranchIcon />}
            onSelect={() => void navigate({ to: "/s/$sessionId", params: { sessionId: id } })}
          >
            <span className="max-w-56 truncate">Branch: {title}</span>
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon={<DownloadIcon />} onSelect={() => void download(session, "markdown")}>
          Export as Markdown
        </MenuItem>
        <MenuItem icon={<DownloadIcon />} onSelect={() => void download(session, "json")}>
          Export as JSON
        </MenuItem>
      </Menu>
      {configureOpened && (
        <Suspense>
          <ConversationSettings session={session} open={configuring} onClose={() => setConfiguring(false)} />
        </Suspense>
      )}
      <RenameDialog session={session} open={renaming} onClose={() => setRenaming(false)} />
    </div>
  );
}

async function download(session: Session, format: "json" | "markdown"): Promise<void> {
  try {
    const response = await api.exportSession(session.id, format);
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = address;
    link.download = `${session.title.replaceAll(/[^\p{L}\p{N} _-]+/gu, "").trim() || "conversation"}.${format === "json" ? "json" : "md"}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    toast({ title: "The export failed", detail: wordsOf(error), tone: "error" });
  }
}
