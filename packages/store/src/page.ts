/** One page of a list. `next` is the cursor for the following page; absent on the last. */
export interface Page<TRecord> {
  readonly items: readonly TRecord[];
  readonly next?: string;
}
