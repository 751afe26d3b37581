import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { putNews, readAgain } from "./stay-current.ts";

const key = ["session", "one"];

/** A query in use, whose first answer is held back; later answers come at once. */
function watchQuery() {
  const client = new QueryClient();
  const first = Promise.withResolvers<string>();
  let reads = 0;
  const observer = new QueryObserver(client, {
    queryKey: key,
    queryFn: () => {
      reads += 1;
      return reads === 1 ? first.promise : Promise.resolve("as it is now");
    },
  });
  observer.subscribe(() => {});
  return { client, answer: first.resolve, seen: () => client.getQueryData(key), reads: () => reads };
}

const untilIdle = async (client: QueryClient) => {
  while (client.isFetching() > 0) await new Promise((resolve) => setImmediate(resolve));
};

it("an answer that was asked for before an event does not replace what the event told", async () => {
  const { client, answer, seen } = watchQuery();
  putNews(client, key, "told");
  answer("as it was");
  await untilIdle(client);
  expect(seen()).toBe("as it is now");
});

it("what an event told costs no request where none is under way", async () => {
  const { client, answer, seen, reads } = watchQuery();
  answer("as it was");
  await untilIdle(client);
  putNews(client, key, "told");
  expect([seen(), reads(), client.isFetching()]).toEqual(["told", 1, 0]);
});

it("a first read under way when an event came is followed by a second", async () => {
  const { client, answer, seen } = watchQuery();
  readAgain(client, ["session"]);
  answer("as it was");
  await expect.poll(seen).toBe("as it is now");
});
