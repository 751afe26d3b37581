import type { JsonObject } from "../json.ts";
import type { CallQuirk, ReplyCall } from "../reply.ts";
import { slices } from "../slices.ts";

export interface CallDeltaOptions {
  readonly index: number;
  readonly chars: number;
  /** Id of the answer, from which the call gets its own. */
  readonly id: string;
  readonly quirk: CallQuirk | undefined;
}

/** The first delta names the call, the rest bring its arguments; a quirk bends that as real servers do. */
export function callDeltas(call: ReplyCall, { index, chars, id: answerId, quirk }: CallDeltaOptions): JsonObject[] {
  const { id, type, kind, field } = partsOf(call, index, answerId);
  const place = quirk === "no-index" ? {} : { index: quirk === "same-index" ? 0 : index };
  const half = Math.ceil(call.name.length / 2);
  const name = quirk === "split-name" ? call.name.slice(0, half) : call.name;
  const opening = { ...place, ...(quirk === "late-id" ? {} : { id }), type, [kind]: { name, [field]: "" } };
  const rest = quirk === "split-name" ? [{ ...place, [kind]: { name: call.name.slice(half) } }] : [];
  const again = quirk === "repeated-name" ? { name: call.name } : {};
  const known = quirk === "no-index" ? { id } : {};
  const inputs: readonly unknown[] =
    quirk === "object-arguments" ? [JSON.parse(inputOf(call))] : slices(inputOf(call), chars);
  const pieces = inputs.map((piece, at) => ({
    ...place,
    ...known,
    ...(quirk === "late-id" && at === inputs.length - 1 ? { id } : {}),
    [kind]: { ...again, [field]: piece },
  }));
  return [opening, ...rest, ...pieces].map((each) => ({ tool_calls: [each] }));
}

export function partsOf(call: ReplyCall, index: number, answerId: string) {
  const kind = call.custom === true ? "custom" : "function";
  const field = call.custom === true ? "input" : "arguments";
  return { id: call.id ?? `call_${answerId}_${index}`, type: kind, kind, field };
}

export const inputOf = (call: ReplyCall): string =>
  typeof call.input === "string" ? call.input : JSON.stringify(call.input);
