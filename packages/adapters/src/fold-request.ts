import type { FormatName, Message, ToolsInput } from "@midfold/core";
import { type FoldOptions, type FoldResult, fold, isMidfoldError, memoryCache } from "@midfold/core/light";

/** What every adapter takes: the options of a fold that the request itself does not say, all of them optional. */
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
 * The one way from an SDK's request to a fold. Folds are remembered between requests, so that what was sent once stays as
 * it was while the conversation grows. What the caller gave as options wins over what the request says.
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

/** How messages of an SDK that Midfold does not read are written as ones that it does, and back. */
export interface Spelling<Item extends object> {
  readonly format: FormatName;
  /** One item as a wire object of `format`. */
  write(item: Item): object;
  /** A wire object that the fold made; `before` is the item it was made from, where there was one. */
  read(wire: object, before: Item | undefined): Item;
}

/** Folds items of another spelling. Items the fold leaves alone come back as the very objects they were. */
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

/** A changed message keeps the id of the call it answers or makes: by it, it finds the item it came from. */
function keyOf(wire: object): unknown {
  const fields = wire as { readonly type?: string; readonly call_id?: unknown; readonly tool_call_id?: unknown };
  const id = fields.call_id ?? fields.tool_call_id;
  return id === undefined ? wire : `${fields.type ?? "tool"} ${String(id)}`;
}

/** The refusal of a request that cannot be made to fit; everything else is thrown on. */
export function overflowOf(error: unknown): string | undefined {
  return isMidfoldError(error, "CONTEXT_OVERFLOW") ? error.message : undefined;
}
