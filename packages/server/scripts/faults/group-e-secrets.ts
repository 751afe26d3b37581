import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Operation } from "../../src/api/operation.ts";
import { operations } from "../../src/api/operations.ts";
import { type Check, check, ms, require, requireEqual } from "./check.ts";
import { bearer, json, withOwners } from "./security-stage.ts";
import { chat, hello, withStage, words } from "./setup.ts";

export const secretChecks: readonly Check[] = [
  check(
    "E9",
    "another owner's ids everywhere",
    withOwners,
    { upstream: { script: () => ({ text: "ok" }) } },
    async ({ gateway, anna, bert }) => {
      const made = await fetch(`${gateway.url}/api/sessions`, {
        method: "POST",
        headers: { ...json, ...bearer(anna) },
        body: "{}",
      });
      const { id } = await made.json();
      await gateway.post(chat, hello, bearer(anna));
      const { items } = await (await fetch(`${gateway.url}/api/console/requests`, { headers: bearer(anna) })).json();
      let crawled = 0;
      const missing = "01a1dd93-0000-7000-8000-000000000000";
      for (const operation of Object.values<Operation>(operations)) {
        if (!operation.path.includes("{")) continue;
        const path = operation.path
          .replace("{sessionId}", id)
          .replaceAll(/\{\w+\}/g, "01a1dd93-099d-7611-98ba-56030b885692");
        const body =
          operation.body === undefined
            ? undefined
            : JSON.stringify({ text: "x", messageId: "x", content: "x", parts: [{ type: "text", text: "x" }] });
        const request = {
          method: operation.method.toUpperCase(),
          headers: { ...(body === undefined ? {} : json), ...bearer(bert) },
          ...(body === undefined ? {} : { body }),
          signal: AbortSignal.timeout(5_000),
        };
        const response = await fetch(`${gateway.url}/api${path}`, request);
        // Must be exactly what an id that never existed gets.
        const nobodys = await fetch(`${gateway.url}/api${path.replace(id, missing)}`, request);
        requireEqual(response.status, nobodys.status, `${operation.method} ${operation.path}`);
        require(response.status >= 400, `${operation.method} ${operation.path}: ${response.status}`);
        await response.body?.cancel();
        await nobodys.body?.cancel();
        crawled++;
      }
      requireEqual(
        (await fetch(`${gateway.url}/api/console/requests/${items[0].id}`, { headers: bearer(bert) })).status,
        404,
        "request",
      );
      requireEqual(
        (await (await fetch(`${gateway.url}/api/console/requests`, { headers: bearer(bert) })).json()).items.length,
        0,
        "list",
      );
      return `${crawled + 2} routes answer as if it did not exist`;
    },
  ),
  check(
    "E10",
    "key revoked with an open stream",
    withOwners,
    { upstream: { script: () => ({ text: words(2_000), stream: { delayMs: 20 } }) } },
    async ({ simulator, gateway, store, anna }) => {
      const stream = await gateway.post(chat, { ...hello, stream: true }, bearer(anna));
      const [key] = await store.of("anna").keys.list();
      const revokedAt = performance.now();
      await store.of("anna").keys.revoke(key?.id ?? "");
      const text = await stream.text();
      const took = performance.now() - revokedAt;
      require(text.includes("revoked") && !text.includes("[DONE]"), "the stream went on");
      require(took < 5_000, `took ${ms(took)}`);
      await simulator.waitFor(({ counts }) => counts.aborted === 1, 2_000);
      return `stream ended with an error event after ${ms(took)}, upstream closed`;
    },
  ),
  check(
    "E11",
    "secrets in logs, errors, database",
    withOwners,
    {},
    async ({ simulator, gateway, store, folder, anna }) => {
      const canaries = ["sk-upstream-canary-7f3a", anna, "sk-proj-echoed-canary-123456"];
      simulator.failNext({ kind: "status", status: 401, message: `Incorrect API key provided: ${canaries[2]}` });
      const refused = await gateway.post(chat, hello, bearer(anna));
      const shown = [await refused.text()];
      requireEqual(refused.status, 401, "the upstream's own status");
      require(shown[0]?.includes("Incorrect API key") === true, "the upstream's own words");
      simulator.failNext({ kind: "html", status: 500 });
      shown.push(await (await gateway.post(chat, hello, bearer(anna))).text());
      shown.push(await (await gateway.post(`${chat}?key=${anna}`, "{", bearer(anna))).text());
      shown.push(await (await fetch(`${gateway.url}/metrics`, { headers: bearer(anna) })).text());
      await store.of("anna").requests.flush();
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
      for (const canary of canaries) {
        const places = { log: JSON.stringify(gateway.lines), replies: shown.join(), database: files.join() };
        for (const [place, text] of Object.entries(places))
          require(!text.includes(canary), `a secret is in the ${place}`);
      }
      return `${canaries.length} canaries in none of ${gateway.lines.length} log lines, ${shown.length} replies, ${files.length} database files`;
    },
  ),
  check(
    "E25",
    "50 parallel requests on a share for 10",
    withStage,
    { server: { limits: { requestsPerMinute: 10 } } },
    async ({ simulator, gateway }) => {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async () => (await gateway.post(chat, hello)).status),
      );
      requireEqual(statuses.filter((code) => code === 200).length, 10, "admitted");
      requireEqual(simulator.counts.requests, 10, "upstream calls");
      return "10 admitted, 40 refused before any upstream call";
    },
  ),
  {
    id: "E26",
    fault: "drifting or scripted dependencies",
    run: async () => {
      const lock = JSON.parse(
        readFileSync(fileURLToPath(new URL("../../../../package-lock.json", import.meta.url)), "utf8"),
      ) as {
        packages: Record<
          string,
          {
            dev?: boolean;
            devOptional?: boolean;
            optional?: boolean;
            hasInstallScript?: boolean;
            integrity?: string;
            link?: boolean;
            resolved?: string;
          }
        >;
      };
      const entries = Object.entries(lock.packages).filter(
        ([name, entry]) => name.includes("node_modules/") && entry.link !== true,
      );
      const scripted = entries.filter(
        ([, entry]) =>
          entry.hasInstallScript === true &&
          entry.dev !== true &&
          entry.devOptional !== true &&
          entry.optional !== true,
      );
      const manifest = JSON.parse(
        readFileSync(fileURLToPath(new URL("../../../../package.json", import.meta.url)), "utf8"),
      ) as { allowScripts: Record<string, boolean> };
      const allowed = scripted.filter(
        ([name]) => manifest.allowScripts[name.replace(/^.*node_modules\//, "")] !== false,
      );
      require(allowed.length === 0, `install scripts allowed for ${allowed.map(([name]) => name).join(", ")}`);
      require(entries.every(([, entry]) => entry.integrity !== undefined), "an entry without integrity");
      return `${entries.length} locked packages with integrity, no runtime one may run an install script`;
    },
  },
];
