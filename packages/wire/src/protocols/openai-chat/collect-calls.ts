import type { JsonObject } from "../json-object.ts";
import { isJsonObject, textField } from "../json-object.ts";
import type { StreamEvent } from "../stream-event.ts";

interface OpenCall {
  /** The part's index; given when the call starts, so that parts are numbered in the order they appear. */
  index: number | undefined;
  id: string;
  name: string;
  /** Arguments that came before the call could start. */
  waiting: string;
}

/**
 * Tool calls as they drip in. Servers disagree about nearly everything here: calls are known by index, by id, or by
 * nothing at all; the name comes at once, in pieces, or again with every piece; arguments of several calls alternate.
 */
export class CallCollector {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #calls: OpenCall[] = [];
  readonly #nextPart: () => number;

  constructor(nextPart: () => number) {
    this.#nextPart = nextPart;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** The call that what comes without an id belongs to. */
  get lastId(): string {
    return this.#calls.at(-1)?.id ?? "";
  }

  push(delta: JsonObject, events: StreamEvent[]): void {
    const call = this.#find(delta);
    const body = isJsonObject(delta.function) ? delta.function : isJsonObject(delta.custom) ? delta.custom : delta;
    if (call.index === undefined) call.name = joinName(call.name, textField(body.name) ?? "");
    const text = argumentsOf(body.arguments ?? body.input);
    if (text === "") return;
    call.waiting += text;
    this.#startIfReady(call, events);
    if (call.index === undefined) return;
    events.push({ type: "tool-call-delta", index: call.index, text: call.waiting });
    call.waiting = "";
  }

  /** Starts what never got an id, and ends everything. */
  end(events: StreamEvent[]): void {
    for (const [at, call] of this.#calls.entries()) {
      if (call.name === "" && call.index === undefined) continue;
      if (call.id === "") call.id = `call_${at}`;
      this.#startIfReady(call, events);
      if (call.index === undefined) continue;
      if (call.waiting !== "") events.push({ type: "tool-call-delta", index: call.index, text: call.waiting });
      events.push({ type: "tool-call-end", index: call.index });
    }
    this.#calls.length = 0;
    this.#byIndex.clear();
  }

  #startIfReady(call: OpenCall, events: StreamEvent[]): void {
    if (call.index !== undefined || call.id === "" || call.name === "") return;
    call.index = this.#nextPart();
    events.push({ type: "tool-call-start", index: call.index, id: call.id, name: call.name });
  }

  #find(delta: JsonObject): OpenCall {
    const id = textField(delta.id) ?? "";
    const index = typeof delta.index === "number" ? delta.index : undefined;
    const known =
      index !== undefined
        ? this.#byIndex.get(index)
        : id !== ""
          ? this.#calls.find((call) => call.id === id)
          : this.#calls.at(-1);
    // A new id under an old index is another call.
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) {
      if (known.id === "") known.id = id;
      return known;
    }
    const call: OpenCall = { index: undefined, id, name: "", waiting: "" };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

/** A name may arrive whole, in pieces, or whole again with every piece. */
function joinName(name: string, more: string): string {
  if (more === "" || more === name) return name;
  return more.startsWith(name) ? more : name + more;
}

function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isJsonObject(value) ? JSON.stringify(value) : "";
}
