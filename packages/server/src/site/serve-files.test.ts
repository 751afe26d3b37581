import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "midfold-files-"));
let gateway: GatewayUnderTest;
beforeAll(async () => {
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "kept.js"), "export const kept = 1;");
  writeFileSync(join(folder, "gone.js"), "export const gone = 1;");
  gateway = await startGateway({ webFolder: folder });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

test("paths of the page's own router get the page", async () => {
  const response = await fetch(`${gateway.url}/console/savings`);
  expect(await response.text()).toContain("<title>page</title>");
});

test("without a store the chat's API is not found, rather than answered with a page", async () => {
  const response = await fetch(`${gateway.url}/api/settings`);
  expect(response.status).toBe(404);
  expect((await response.json()).detail).toContain("need a database");
});

test("a file is read when it is first asked for, and kept from then on", async () => {
  const read = () => fetch(`${gateway.url}/kept.js`).then((response) => response.text());
  expect(await read()).toBe("export const kept = 1;");
  rmSync(join(folder, "kept.js"));
  expect(await read()).toBe("export const kept = 1;");
});

test("a file that is gone since the start is not found, with what to do about it", async () => {
  rmSync(join(folder, "gone.js"));
  const response = await fetch(`${gateway.url}/gone.js`);
  expect(response.status).toBe(404);
  expect((await response.json()).detail).toContain("Restart the server");
});
