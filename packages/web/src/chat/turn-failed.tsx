import { Link } from "@tanstack/react-router";
import type { Message, Problem, Usage } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { LargerModel } from "./overflow.tsx";

interface TurnFailedProps {
  readonly problem: Problem;
  /** What stands at the end of the conversation. */
  readonly reply: Message | undefined;
  readonly usage: Usage | undefined;
  readonly onRetry: (() => void) | undefined;
  readonly onSummarize: () => void;
  readonly onClip: () => void;
  readonly onModel: (model: string) => void;
}

const tooLong = new Set(["UPSTREAM_OVERFLOW", "CONTEXT_OVERFLOW"]);

/** Why a turn ended without its reply, and what can be done. */
export function TurnFailed(props: TurnFailedProps) {
  const { problem, reply, usage, onRetry, onSummarize, onClip, onModel } = props;
  // The reply that is missing tells the particulars at its place.
  const told = reply?.error === problem.detail || problem.title === problem.detail;
  return (
    <Notice
      tone="error"
      action={
        <>
          {problem.code === "UPSTREAM_CREDENTIALS" && (
            <Link to="/providers" className="px-1 text-accent underline underline-offset-2">
              Check the key of its provider
            </Link>
          )}
          {tooLong.has(problem.code) && (
            <>
              <Button onClick={onSummarize}>Summarize and send again</Button>
              <Button onClick={onClip}>Shorten and send again</Button>
              <LargerModel needed={usage?.total ?? 0} onModel={onModel} />
            </>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </>
      }
    >
      {problem.title} {!told && problem.detail}
    </Notice>
  );
}
