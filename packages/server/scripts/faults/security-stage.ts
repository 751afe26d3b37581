import { mkdtempSync, rmSync } from "node:fs";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@midfold/store";
import { createUpstreamClient } from "@midfold/wire";
import { require } from "./check.ts";
import { chat, hello, type Stage, withDemo, withStage } from "./setup.ts";

export const json = { "content-type": "application/json" };

export async function withStore<TResult>(work: (store: Store, folder: string) => Promise<TResult>): Promise<TResult> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-faults-"));
  const store = await openStore({ url: `sqlite:${join(folder, "midfold.db")}` });
  try {
    return await work(store, folder);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A provider and a gateway that asks for keys, with two owners who have one each. */
export const withOwners = <TResult>(
  options: Parameters<typeof withStage>[0],
  work: (
    stage: Stage & { readonly store: Store; readonly folder: string; readonly anna: string; readonly bert: string },
  ) => Promise<TResult>,
) =>
  withStore((store, folder) =>
    withStage(
      { ...options, server: { keys: "required", ...options.server }, start: { store, ...options.start } },
      async (stage) => {
        const anna = await store.of("anna").keys.create({ name: "anna" });
        const bert = await store.of("bert").keys.create({ name: "bert" });
        return work({ ...stage, store, folder, anna: anna.secret, bert: bert.secret });
      },
    ),
  );

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A gateway whose only upstream has a name that resolves to these addresses; returns how often it was looked up. */
export async function resolving(answers: readonly string[]): Promise<number> {
  let asked = 0;
  const lookup = ((_name: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) => {
    const address = answers[Math.min(asked++, answers.length - 1)] as string;
    const family = address.includes(":") ? 6 : 4;
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  }) as LookupFunction;
  const client = createUpstreamClient({
    lookup,
    retry: { retries: 0 },
    deadlines: { connect: 300 },
    breaker: { failures: 1_000 },
  });
  const route = { model: "*", upstream: "named", window: 8_000 };
  const yaml = JSON.stringify({ upstreams: { named: { baseUrl: "http://models.example:8080/v1" } }, routes: [route] });
  return withDemo({ client, yaml }, async ({ post }) => {
    for (const path of answers.length > 1 ? [chat] : [chat, "/v1/messages", "/v1/responses"]) {
      const response = await post(path, { ...hello, max_tokens: 5, input: "hi" });
      const text = await response.text();
      require(text.includes("private or reserved"), `${path} to ${answers[0]}: ${text.slice(0, 120)}`);
    }
    return asked;
  });
}

export const page = "<!doctype html><title>Midfold</title>";

export async function withWeb<TResult>(work: (url: string) => Promise<TResult>): Promise<TResult> {
  const { mkdirSync, writeFileSync } = await import("node:fs");
  const folder = mkdtempSync(join(tmpdir(), "midfold-web-"));
  mkdirSync(join(folder, "web/assets"), { recursive: true });
  mkdirSync(join(folder, "web-secret"));
  writeFileSync(join(folder, "web-secret/x.txt"), "secret");
  writeFileSync(join(folder, "web/index.html"), page);
  try {
    return await withDemo({ webFolder: join(folder, "web") }, ({ url }) => work(url));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const withPage = (work: (headers: Headers) => Promise<string>) =>
  withWeb(async (url) => work((await fetch(url)).headers));
