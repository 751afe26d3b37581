import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import {
  FlaskIcon,
  FoldIcon,
  GearIcon,
  HelpIcon,
  MoonIcon,
  PlusIcon,
  ProviderIcon,
  PulseIcon,
  SunIcon,
  UploadIcon,
} from "../ui/icons.tsx";
import { DropZone, TranscriptPicker } from "./import-file.tsx";
import { SessionList } from "./session-list.tsx";
import { applyTheme, isDark } from "./theme.ts";
import { useNewSession } from "./use-new-session.ts";

const pages = [
  { to: "/providers", label: "Providers", icon: <ProviderIcon /> },
  { to: "/console", label: "Gateway console", icon: <PulseIcon /> },
  { to: "/playground", label: "Playground", icon: <FlaskIcon /> },
  { to: "/settings", label: "Settings", icon: <GearIcon /> },
] as const;

export function Sidebar({ onHelp }: { readonly onHelp: () => void }) {
  const { create, importFile, busy } = useNewSession();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <DropZone className="flex h-full flex-col" onFile={importFile}>
      <div className="flex items-center justify-between px-4 py-2.5">
        <Link to="/" className="flex items-center gap-2 rounded-md text-[15px] font-semibold">
          <span className="rounded-lg bg-accent p-1 text-accent-ink">
            <FoldIcon size={16} />
          </span>
          Midfold
        </Link>
        <div className="flex">
          <IconButton label="Keyboard shortcuts" onClick={onHelp}>
            <HelpIcon />
          </IconButton>
          <ThemeToggle />
        </div>
      </div>
      <div className="flex items-center gap-1 px-3 pb-2">
        <Button kind="primary" className="flex-1" disabled={busy} onClick={() => create()}>
          <PlusIcon /> New conversation
        </Button>
        <IconButton label="Import a transcript" disabled={busy} onClick={() => picker.current?.click()}>
          <UploadIcon />
        </IconButton>
        <TranscriptPicker picker={picker} label="Transcript to import" onFile={importFile} />
      </div>
      <SessionList />
      <nav aria-label="Pages" className="border-t border-line p-2">
        {pages.map(({ to, label, icon }) => (
          <Link
            key={to}
            to={to}
            className="flex items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm text-ink-soft hover:bg-surface hover:text-ink"
            activeProps={{ className: "bg-surface font-medium text-ink!" }}
          >
            {icon}
            {label}
          </Link>
        ))}
      </nav>
    </DropZone>
  );
}

function ThemeToggle() {
  const [dark, setDark] = useState(isDark);
  return (
    <IconButton
      label={dark ? "Light theme" : "Dark theme"}
      onClick={() => {
        applyTheme(dark ? "light" : "dark");
        setDark(!dark);
      }}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </IconButton>
  );
}
