/** Things that come and go thousands of times a second, and are seldom looked at. In no order. */
export interface Bag<TItem> {
  add(item: TItem): void;
  remove(item: TItem): void;
  items(): readonly TItem[];
  readonly size: number;
}

/**
 * A Map or Set would do, but each time it makes room for newcomers it leaves a table behind that points at its successor
 * and at all it held: once the collector has moved one table to the old generation, every later one follows, with
 * everything the requests in them refer to. A search through what is in hand costs far less.
 */
export function createBag<TItem>(): Bag<TItem> {
  const items: TItem[] = [];
  return {
    add: (item) => {
      items.push(item);
    },
    remove: (item) => {
      const at = items.lastIndexOf(item);
      if (at === -1) return;
      const last = items.pop() as TItem;
      if (at < items.length) items[at] = last;
    },
    items: () => [...items],
    get size() {
      return items.length;
    },
  };
}
