import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Puts what an event said into the cache. A read that is under way may be older and would overwrite it, so it is
 * started again.
 */
export function putNews(client: QueryClient, queryKey: QueryKey, data: unknown): void {
  client.setQueryData(queryKey, data);
  if (client.isFetching({ queryKey, exact: true }) > 0) void client.invalidateQueries({ queryKey, exact: true });
}

/**
 * Reads again what an event made outdated. A first read that is under way may be older than the event, so it is
 * repeated too.
 */
export function readAgain(client: QueryClient, queryKey: QueryKey): void {
  const firstReads = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  void client.invalidateQueries({ queryKey });
  for (const query of firstReads) {
    // If the first read fails, the error is shown where its answer was wanted.
    query.promise?.then(() => client.invalidateQueries({ queryKey: query.queryKey, exact: true })).catch(() => {});
  }
}
