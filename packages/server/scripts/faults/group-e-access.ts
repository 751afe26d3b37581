import { siteRoutes } from "../../src/site/site-routes.ts";
import { type Check, check, require, requireEqual } from "./check.ts";
import { sendRaw, statusOf } from "./raw-socket.ts";
import { bearer, json, resolving, withOwners } from "./security-stage.ts";
import { chat, hello, posts, withStage } from "./setup.ts";

export const accessChecks: readonly Check[] = [
  {
    id: "E1",
    fault: "upstream name that resolves to a private place",
    run: async () => {
      const addresses = [
        "169.254.169.254",
        "127.0.0.1",
        "10.0.0.1",
        "192.168.1.1",
        "::1",
        "::ffff:169.254.169.254",
        "fd00::1",
        "0.0.0.0",
      ];
      for (const address of addresses) await resolving([address]);
      await withStage({}, async ({ simulator, gateway }) => {
        const headers = {
          "x-portkey-custom-host": "http://127.0.0.1:1",
          "x-base-url": "http://127.0.0.1:1",
          "openai-base-url": "http://127.0.0.1:1",
        };
        requireEqual(
          (
            await gateway.post(
              chat,
              { ...hello, base_url: "http://127.0.0.1:1", api_base: "http://127.0.0.1:1" },
              headers,
            )
          ).status !== 502,
          true,
          "caller's host",
        );
        requireEqual(simulator.counts.requests, 1, "requests at the configured upstream");
      });
      return `${addresses.length} addresses refused at connect on 3 routes; callers cannot name a host at all`;
    },
  },
  {
    id: "E2",
    fault: "DNS rebinding of an upstream",
    run: async () => {
      // Each connection resolves the name once, so a different second answer has no effect.
      const asked = await resolving(["10.0.0.1", "93.184.216.34"]);
      return `the address that is connected to is the one that was checked: ${asked} look-up for ${asked} connection`;
    },
  },
  check("E3", "managed key to another host", withStage, {}, async ({ simulator, gateway }) => {
    simulator.failNext({ kind: "redirect", location: `${gateway.url}/v1/steal` });
    await gateway.post(chat, hello);
    require(!gateway.lines.some((line) => JSON.stringify(line).includes("/v1/steal")), "the redirect was followed");
    requireEqual(posts(simulator)[0]?.headers.authorization, "Bearer sk-upstream-canary-7f3a", "key at its own host");
    return "bound to its host by configuration; redirects are not followed";
  }),
  {
    id: "E4",
    fault: "a route without a key check",
    run: async () => {
      const routes = siteRoutes({
        gateway: { log: {}, settings: {}, metrics: {} } as never,
        options: { config: {} } as never,
        isOpen: () => true,
        startedAt: 0,
        openDestinations: () => undefined as never,
        onWork: () => () => undefined,
      });
      const free = routes.filter(({ auth }) => auth === "none").map(({ path }) => path);
      const allowed = ["/healthz", "/health", "/readyz", "/openapi.json", "/*"];
      for (const path of free) require(allowed.includes(path), `${path} needs no key`);
      return withOwners({}, async ({ gateway }) => {
        let asked = 0;
        for (const { path, methods, auth } of routes) {
          if (auth === "none") continue;
          for (const method of methods) {
            const response = await fetch(`${gateway.url}${path.replace("/*", "/x")}`, {
              method,
              headers: json,
              ...(method === "GET" || method === "HEAD" ? {} : { body: "{}" }),
            });
            // After ten unknown keys in a minute the address itself is refused.
            require(response.status === 401 || response.status === 429, `${method} ${path}: ${response.status}`);
            asked++;
          }
        }
        return `${asked} of ${asked} methods and routes refuse a caller without a key`;
      });
    },
  },
  check("E5", "paths spelt so that layers disagree", withOwners, {}, async ({ gateway }) => {
    const paths = [
      "//v1/models",
      "/v1//models",
      "/V1/models",
      "/v1%2fmodels",
      "/v1/models;x",
      "/./v1/models",
      "/v1/../v1/models",
      "/%2e%2e/v1/models",
      "/v1\\models",
      "/v1/models%00",
      "http://evil.example/v1/models",
      "/healthz/../v1/models",
    ];
    for (const path of paths) {
      const response = await sendRaw(
        gateway.url,
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${new URL(gateway.url).port}\r\nconnection: close\r\n\r\n`,
      );
      const code = statusOf(response);
      require(code === 400 || code === 401 || code === 404 || code === 429, `${path}: ${code}`);
      require(!response.includes('"data":['), `${path} answered`);
    }
    return `${paths.length} spellings, none gets through`;
  }),
  check("E6", "key in each header dialect; two different keys", withOwners, {}, async ({ gateway, anna, bert }) => {
    for (const headers of [
      bearer(anna),
      { "x-api-key": anna },
      { "api-key": anna },
      { "x-goog-api-key": anna },
      { "x-midfold-key": anna },
    ]) {
      requireEqual((await gateway.post(chat, hello, headers)).status, 200, JSON.stringify(Object.keys(headers)));
    }
    requireEqual((await gateway.post(chat, hello, { ...bearer(anna), "x-api-key": bert })).status, 400, "two keys");
    return "five spellings, one resolver; conflicting 400";
  }),
  check("E7", "SQL metacharacters in keys, ids, search", withOwners, {}, async ({ gateway, anna }) => {
    const nasty = [
      "' OR '1'='1",
      "1; DROP TABLE sessions;--",
      '" OR ""="',
      "%' --",
      "\\'; SELECT 1",
      "*",
      '"',
      "NEAR(",
      "a* OR b:",
    ];
    for (const text of nasty) {
      const id = encodeURIComponent(text);
      const session = await fetch(`${gateway.url}/api/sessions/${id}`, { headers: bearer(anna) });
      require(session.status === 404 || session.status === 400, `session ${text}: ${session.status}`);
      const search = await fetch(`${gateway.url}/api/search?q=${id}&query=${id}`, { headers: bearer(anna) });
      require(search.status < 500, `search ${text}: ${search.status}`);
    }
    const key = await gateway.post(chat, hello, { "x-api-key": "' OR '1'='1" });
    requireEqual(key.status, 401, "key");
    requireEqual(
      (await fetch(`${gateway.url}/api/sessions`, { headers: bearer(anna) })).status,
      200,
      "the table is still there",
    );
    return `${nasty.length} texts in three places`;
  }),
  check("E8", "guessing keys", withOwners, {}, async ({ gateway, anna }) => {
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++)
      statuses.push((await gateway.post(chat, hello, { "x-api-key": `mf-guess-${i}` })).status);
    requireEqual(statuses.filter((code) => code === 401).length, 10, "guesses answered");
    requireEqual(statuses.at(-1), 429, "the eleventh");
    requireEqual((await gateway.post(chat, hello, bearer(anna))).status, 200, "a good key from the same address");
    return "10 a minute and address, then 429; a good key still works; keys are looked up by hash";
  }),
];
