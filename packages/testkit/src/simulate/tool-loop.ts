import type { Reply } from "./reply.ts";
import type { Script } from "./simulator.ts";
import { newResults, type Turn } from "./turn.ts";

export interface ToolLoopOptions {
  /** Tool calls to make before the closing answer. */
  readonly turns: number;
  /** The call for each turn, from the tools the client offers; undefined when none of them will do. */
  readonly call: (
    turn: number,
    tools: readonly string[],
  ) => { readonly name: string; readonly input: unknown } | undefined;
  readonly closing?: string;
  /** Requests that are not steps of the loop although tools are offered, such as a client's request for a summary. */
  readonly isAside?: (turn: Turn) => boolean;
}

export interface ToolLoop {
  readonly script: Script;
  /** Turns whose result has come back. */
  readonly completed: () => number;
  /** Whether the closing answer was given. */
  readonly closed: () => boolean;
  /** Requests that were not steps: titles, and the summaries a client or a gateway makes. */
  readonly asides: () => readonly Turn[];
}

/**
 * A model that asks for one tool after the other. It recognises where it is by the result of its own last call and not
 * by the length of the history, so that the history may be folded, summarized or retried in between.
 */
export function createToolLoop({ turns, call, closing = "All steps are done.", isAside }: ToolLoopOptions): ToolLoop {
  let done = 0;
  let isClosed = false;
  let awaited: string | undefined;
  const asides: Turn[] = [];
  const script = (turn: Turn): Reply => {
    const next = call(done, turn.tools);
    if (next === undefined || isAside?.(turn) === true) {
      asides.push(turn);
      return { text: `Summary: ${done} of ${turns} steps done so far; go on with step ${done + 1}.` };
    }
    if (awaited !== undefined && newResults(turn).some((result) => result.callId === awaited)) {
      done += 1;
      awaited = undefined;
    }
    if (done >= turns) {
      isClosed = true;
      return { text: closing };
    }
    awaited = `call_loop_${done}_${turn.index}`;
    const asked = call(done, turn.tools) ?? next;
    return { text: `Step ${done + 1} of ${turns}.`, calls: [{ ...asked, id: awaited }] };
  };
  return { script, completed: () => done, closed: () => isClosed, asides: () => asides };
}
