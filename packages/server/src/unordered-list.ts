/** A list whose order does not matter, for items that are added and removed thousands of times a second. */
export interface UnorderedList<TItem> {
  add(item: TItem): void;
  remove(item: TItem): void;
  items(): readonly TItem[];
  readonly size: number;
}

/**
 * Not a Map or Set: when one of those grows it leaves its old table behind, which points at the new table and at every
 * item. Once the garbage collector has moved one such table to the old generation, all later ones and the requests they
 * refer to stay in memory until a full collection. Searching a short array costs far less.
 */
export function createUnorderedList<TItem>(): UnorderedList<TItem> {
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
