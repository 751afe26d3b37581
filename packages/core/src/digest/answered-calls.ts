import type { Source } from "./sources.ts";

interface AnsweredCall {
  readonly call: Source;
  /** Undefined where the answer is not among these messages. */
  readonly result: Source | undefined;
}

/** Calls with their results, in the order of the results; last, calls without one. */
export function answeredCalls(sources: readonly Source[]): AnsweredCall[] {
  const calls = new Map<string | undefined, Source>();
  const answered: AnsweredCall[] = [];
  for (const source of sources) {
    if (source.carried) continue;
    if (source.kind === "call") calls.set(source.callId, source);
    const call = source.kind === "result" ? calls.get(source.callId) : undefined;
    if (call === undefined) continue;
    answered.push({ call, result: source });
    calls.delete(source.callId);
  }
  for (const call of calls.values()) answered.push({ call, result: undefined });
  return answered;
}
