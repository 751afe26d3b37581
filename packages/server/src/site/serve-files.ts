import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { MidfoldError } from "@midfold/core";
import { headerOf } from "../http/http-message.ts";
import { drawingHeaders, pageHeaders } from "../http/security-headers.ts";
import type { Route } from "../routing/create-site.ts";
import { problemReply } from "./problem-reply.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

const worthPacking = /^(?:text\/|image\/svg|application\/(?:json|manifest))/;

interface ServedFile {
  readonly bytes: () => Buffer;
  /** Gzip of it; absent for what is packed already. */
  readonly packed?: () => Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The built web app. Its files are listed at start, so that no other path can reach the disk. Each is read when first
 * requested, since together they are 8 MB that a gateway without a browser never needs. Unknown paths without a file
 * extension get the page itself, whose router knows them.
 */
export function fileRoute(folder: string | undefined): Route {
  const files = folder === undefined ? new Map<string, ServedFile>() : listFiles(folder);
  return {
    methods: ["GET", "HEAD"],
    path: "/*",
    auth: "none",
    counts: false,
    encodeError: problemReply,
    handle: ({ path, headers }) => {
      if (apiPath.test(path)) throw new MidfoldError("NOT_FOUND", notHere);
      const file = files.get(path) ?? (extname(path) === "" ? files.get("/index.html") : undefined);
      if (file?.packed !== undefined && /\bgzip\b/.test(headerOf(headers, "accept-encoding") ?? "")) {
        return { status: 200, headers: { ...file.headers, "content-encoding": "gzip" }, body: file.packed() };
      }
      if (file !== undefined) return { status: 200, headers: file.headers, body: file.bytes() };
      if (path === "/")
        return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: greeting };
      throw new MidfoldError("NOT_FOUND", "There is nothing at this path.");
    },
  };
}

/** A program that asks for data must not get the page. */
const apiPath = /^\/(?:api|v1)\//;
const notHere =
  "There is nothing at this path. The chat and its settings need a database; this server may run without one.";

const greeting = "Midfold is running. The web app is not built here; the API is described at /openapi.json.\n";

function listFiles(folder: string): Map<string, ServedFile> {
  const files = new Map<string, ServedFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const url = `/${name.split(sep).join("/")}`;
    const type = types[extname(name).toLowerCase()] ?? "application/octet-stream";
    const isPage = type.startsWith("text/html");
    const bytes = once(() => readOrMiss(path));
    files.set(url, {
      bytes,
      ...(worthPacking.test(type) ? { packed: once(() => gzipSync(readOrMiss(path), { level: 9 })) } : {}),
      headers: {
        "content-type": type,
        ...(worthPacking.test(type) ? { vary: "accept-encoding" } : {}),
        // Built files have a hash in their name; the page that names them must always be requested again.
        "cache-control": url.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
        ...(url === "/diagram.html" ? drawingHeaders : isPage ? pageHeaders : {}),
      },
    });
  }
  return files;
}

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function readOrMiss(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new MidfoldError("NOT_FOUND", "The web app was built anew after this server started. Restart the server.", {
      cause,
    });
  }
}
