import type { ReactNode } from "react";
import { WarnIcon } from "./icons.tsx";

interface NoticeProps {
  readonly tone?: "info" | "warn" | "error";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

const classes = {
  info: "border-line bg-sunken",
  warn: "border-warn bg-warn-soft",
  error: "border-alarm-ink bg-alarm-soft",
} as const;

export function Notice({ tone = "info", children, action }: NoticeProps) {
  return (
    <div
      role={tone === "error" ? "alert" : "note"}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border px-3.5 py-2.5 text-sm ${classes[tone]}`}
    >
      {tone !== "info" && <WarnIcon />}
      <div className="min-w-40 flex-1 break-words">{children}</div>
      {action}
    </div>
  );
}
