import { Link } from "@tanstack/react-router";
import type { Message, Problem } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

interface TurnFailedProps {
  readonly problem: Problem;
  /** What stands at the end of the conversation. */
  readonly reply: Message | undefined;
  readonly onRetry: (() => void) | undefined;
}

/** Why a turn ended without its reply, and what can be done. */
export function TurnFailed({ problem, reply, onRetry }: TurnFailedProps) {
  // The reply that is missing tells the particulars at its place.
  const told = reply?.error === problem.detail || problem.title === problem.detail;
  return (
    <Notice
      tone="error"
      action={
        <>
          {problem.code === "UPSTREAM_CREDENTIALS" && (
            <Link to="/settings" className="px-1 text-accent underline underline-offset-2">
              Set a key in Settings
            </Link>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </>
      }
    >
      {problem.title} {!told && problem.detail}
    </Notice>
  );
}
