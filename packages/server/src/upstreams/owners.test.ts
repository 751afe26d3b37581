import type { OwnerStore } from "@midfold/store";
import { expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import type { Destinations } from "./destinations.ts";
import { createOwners } from "./owners.ts";

const config = loadConfig(undefined, {});
const open = () => ({}) as Destinations;
const down = {
  owner: "ada",
  providers: { open: () => Promise.reject(new Error("the store is down")) },
} as unknown as OwnerStore;

it("a store that is down does not end a request of the gateway, is told, and is asked again later", async () => {
  const told: unknown[] = [];
  const owners = createOwners({ config, open, onError: (error) => told.push(error) });
  const own = await owners.of(down, "soon");
  expect(own.version).toBe("[]");
  expect(told).toMatchObject([{ message: "the store is down" }]);
});

it("the chat, which needs the store anyway, is told that it is down", async () => {
  const owners = createOwners({ config, open });
  await expect(owners.of(down)).rejects.toThrow("the store is down");
});
