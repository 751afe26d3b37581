import type { Strategy } from "../plan/draft.ts";
import type { Span } from "../plan/plan.ts";
import { hold } from "../plan/view.ts";
import type { Keep } from "../presets/preset.ts";
import { settleFrame } from "./settle-frame.ts";

export interface AssistantSpansOptions {
  /** The newest messages that stay. */
  readonly retention: Keep;
  readonly replace: "digest" | "summary" | "nothing";
  readonly maxFrameTokens?: number;
}

/**
 * R4: what the user wrote stays word for word. The earliest stretch of assistant and tool messages between two user
 * messages becomes one message, then the next, until the request is small enough. Exchanges go whole or not at all, so a
 * running tool loop is never broken.
 */
export function assistantSpans(options: AssistantSpansOptions): Strategy {
  return function spans(draft, goal) {
    const { atoms, holds, start } = draft.view;
    const end = retainedFrom(atoms, options.retention.messages ?? 0);
    const by: Span["by"] = options.replace === "summary" ? "summary" : "digest";
    let atom = start;
    while (atom < end && draft.total > goal.target) {
      const run: number[] = [];
      let messages = 0;
      for (; atom < end && holds[atom] === hold.free && atoms[atom]!.kind !== "user"; atom++) {
        run.push(atom);
        messages += atoms[atom]!.last - atoms[atom]!.first + 1;
      }
      // A single message gains nothing from being retold.
      if (messages >= 2) {
        const span = draft.openSpan(by);
        for (const index of run) draft.fold(index, span);
        if (options.replace !== "nothing") settleFrame(draft, span, options.maxFrameTokens ?? 2000);
      }
      if (run.length === 0) atom++;
    }
  };
}

function retainedFrom(atoms: readonly { first: number; last: number }[], messages: number): number {
  let kept = 0;
  let atom = atoms.length;
  while (atom > 0 && kept < messages) {
    atom--;
    kept += atoms[atom]!.last - atoms[atom]!.first + 1;
  }
  return atom;
}
