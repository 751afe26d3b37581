import type { FormatName, Message, ToolsInput } from "@midfold/core";
import { type FoldOptions, type FoldResult, fold, isMidfoldError, memoryCache } from "@midfold/core/light";

/** The options of every adapter: those of a fold that the request itself does not contain. All are optional. */
export interface MidfoldOptions
  extends Omit<FoldOptions, "format" | "system" | "tools" | "toolChoice" | "state" | "signal" | "force"> {
  /** Called after each request with what was done to it. */
  readonly onFold?: (result: FoldResult<unknown>) => void;
}

/** What an adapter knows about one request besides its messages. */
export interface RequestFacts {
  readonly model?: string | undefined;
  readonly format?: FormatName | undefined;
  readonly system?: string | readonly Message[] | undefined;
  readonly tools?: ToolsInput | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type FoldRequest = <Wire>(messages: readonly Wire[], facts: RequestFacts) => Promise<FoldResult<Wire>>;

/**
 * Folds the request of any SDK. Folds are remembered between requests, so that what was sent once stays the same while
 * the conversation grows. Options of the caller override what the request says.
 */
export function createFoldRequest({ onFold, ...options }: MidfoldOptions = {}): FoldRequest {
  const cache = options.cache ?? memoryCache();
  return async (messages, facts) => {
    const given = Object.entries({ ...facts, cache, ...options }).filter(([, value]) => value !== undefined);
    const result = await fold(messages, Object.fromEntries(given) as FoldOptions);
    onFold?.(result);
    return result;
  };
}

/** Converts messages of an SDK whose format Midfold does not read into one that it does, and back. */
export interface Spelling<Item extends object> {
  readonly format: FormatName;
  /** One item as a wire object of `format`. */
  write(item: Item): object;
  /** A wire object that the fold made; `before` is the item it was made from, where there was one. */
  read(wire: object, before: Item | undefined): Item;
}

/** Folds items of another format. Items the fold leaves alone are returned as the same objects. */
export function foldThrough<Item extends object>(
  foldRequest: FoldRequest,
  { format, write, read }: Spelling<Item>,
): (items: readonly Item[], facts: RequestFacts) => Promise<Item[]> {
  return async (items, facts) => {
    const wires = items.map(write);
    const items_ = new Map<object, Item>(wires.map((wire, index) => [wire, items[index]!]));
    const ids = new Map<unknown, Item>(wires.map((wire, index) => [keyOf(wire), items[index]!]));
    const { messages, changed } = await foldRequest(wires, { ...facts, format });
    if (!changed) return items as Item[];
    return messages.map((wire) => items_.get(wire) ?? read(wire, ids.get(keyOf(wire))));
  };
}

/** A changed message keeps the id of the call it makes or answers, which identifies the item it was made from. */
function keyOf(wire: object): unknown {
  const fields = wire as { readonly type?: string; readonly call_id?: unknown; readonly tool_call_id?: unknown };
  const id = fields.call_id ?? fields.tool_call_id;
  return id === undefined ? wire : `${fields.type ?? "tool"} ${String(id)}`;
}

/** The message of the error that a request cannot be made to fit; every other error is thrown again. */
export function overflowOf(error: unknown): string | undefined {
  return isMidfoldError(error, "CONTEXT_OVERFLOW") ? error.message : undefined;
}
