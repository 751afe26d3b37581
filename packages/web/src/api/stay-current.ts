import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Puts what an event told into the cache. A read under way may be older and would replace it, so it is made anew. */
export function putNews(client: QueryClient, queryKey: QueryKey, data: unknown): void {
  client.setQueryData(queryKey, data);
  if (client.isFetching({ queryKey, exact: true }) > 0) void client.invalidateQueries({ queryKey, exact: true });
}

/** Reads again what an event made old, also what is being read for the first time: that read may be older than the event. */
export function readAgain(client: QueryClient, queryKey: QueryKey): void {
  const firstReads = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  void client.invalidateQueries({ queryKey });
  for (const query of firstReads) {
    // A first read that fails is reported where its answer was wanted.
    query.promise?.then(() => client.invalidateQueries({ queryKey: query.queryKey, exact: true })).catch(() => {});
  }
}
