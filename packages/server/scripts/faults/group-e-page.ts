import { type Check, check, require, requireEqual } from "./check.ts";
import { startChild } from "./child-gateway.ts";
import { sendRaw, statusOf } from "./raw-socket.ts";
import { json, page, withPage, withWeb } from "./security-stage.ts";
import { chat, hello, withDemo } from "./setup.ts";

export const pageChecks: readonly Check[] = [
  check("E15", "script in what the page shows", withPage, async (headers) => {
    const policy = headers.get("content-security-policy") ?? "";
    require(/script-src 'self'(;|$)/.test(policy), policy);
    require(!/unsafe-inline|unsafe-eval/.test(policy.replace(/style-src[^;]*/, "")), policy);
    return "no inline script can run; the web app's own suite renders the payloads";
  }),
  check("E16", "pictures and styles from elsewhere", withPage, async (headers) => {
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'self'", "img-src 'self' data: blob:", "connect-src 'self'", "object-src 'none'"])
      require(policy.includes(part), `${part} is missing`);
    return "nothing but our own origin can be loaded";
  }),
  check("E17", "framing, sniffing, referrers", withPage, async (headers) => {
    require((headers.get("content-security-policy") ?? "").includes("frame-ancestors 'none'"), "frame-ancestors");
    requireEqual(headers.get("x-content-type-options"), "nosniff", "nosniff");
    requireEqual(headers.get("referrer-policy"), "no-referrer", "referrer");
    requireEqual(headers.get("x-frame-options"), "DENY", "frames");
    return "frame-ancestors none, nosniff, no-referrer";
  }),
  check("E18", "DNS rebinding to our port", withDemo, {}, async ({ url }) => {
    const paths = [
      "/",
      "/healthz",
      "/readyz",
      "/v1/models",
      "/metrics",
      "/openapi.json",
      "/api/console/feed",
      "/api/sessions",
    ];
    for (const path of paths) {
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1:1", "0x7f.1", ""]) {
        const response = await sendRaw(url, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
        require([400, 403].includes(statusOf(response)), `${path} for ${host}: ${statusOf(response)}`);
      }
    }
    return `${paths.length} routes, five foreign hosts each: refused`;
  }),
  check("E19", "a page of another origin posts", withDemo, {}, async ({ url }) => {
    const body = JSON.stringify(hello);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      requireEqual(
        (await fetch(`${url}${chat}`, { method: "POST", headers: { "content-type": type }, body })).status,
        415,
        type,
      );
    }
    requireEqual(
      (await fetch(`${url}${chat}`, { method: "POST", headers: { ...json, origin: "https://evil.example" }, body }))
        .status,
      403,
      "origin",
    );
    requireEqual(
      (
        await fetch(`${url}${chat}`, {
          method: "OPTIONS",
          headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
        })
      ).status,
      403,
      "preflight",
    );
    requireEqual(
      (
        await fetch(`${url}/api/sessions`, {
          headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
        })
      ).status,
      403,
      "no-cors",
    );
    return "415 without JSON, 403 with a foreign origin, preflight refused";
  }),
  check("E20", "static traversal", withWeb, async (url) => {
    const paths = [
      "/../package.json",
      "/..%2fpackage.json",
      "/%2e%2e/package.json",
      "/%252e%252e/package.json",
      "/..\\package.json",
      "/assets/../../package.json",
      "/assets%00.html",
      "/.env",
      "/../web-secret/x.txt",
      "//etc/passwd",
      "/etc/passwd",
    ];
    for (const path of paths) {
      const response = await sendRaw(
        url,
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${new URL(url).port}\r\nconnection: close\r\n\r\n`,
      );
      require(!/root:|"name":|secret/.test(response), `${path} left the folder`);
      const code = statusOf(response);
      require(code === 400 || code === 404 || (code === 200 && response.includes(page)), `${path}: ${code}`);
    }
    return `${paths.length} paths; only files read at start can be served`;
  }),
  {
    id: "E21",
    fault: "0.0.0.0 without keys",
    run: async () => {
      const outcome = await startChild({ config: { server: { host: "0.0.0.0", database: "none" } } }).then(
        async (child) => {
          await child.stop();
          return "it started";
        },
        (error: Error) => error.message,
      );
      require(/without keys/.test(outcome), outcome);
      return "refuses to start, and says what to set";
    },
  },
];
