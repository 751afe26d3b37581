import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packMidfold } from "./pack-midfold.ts";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
let folder: string;
let main: string;

/** As npm would install it: our own packages inside, everybody else's beside it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-pack-"));
  const installed = join(folder, "node_modules/midfold");
  cpSync(packMidfold(), installed, { recursive: true });
  for (const name of readdirSync(modules)) {
    if (!name.startsWith(".") && !["@midfold", "midfold"].includes(name)) {
      symlinkSync(join(modules, name), join(folder, "node_modules", name));
    }
  }
  main = join(installed, JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).bin.midfold);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it holds JavaScript only, and no test", () => {
  const files = readdirSync(join(folder, "node_modules/midfold"), { recursive: true, encoding: "utf8" });
  expect(files.filter((path) => /\.tsx?$|\.test/.test(path))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "web/index.html"]));
});

test("its command folds", () => {
  const chat = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${"word ".repeat(200)}${i}`,
  }));
  writeFileSync(join(folder, "chat.json"), JSON.stringify(chat));
  const args = [main, "fold", "chat.json", "--model", "gpt-4o", "--window", "8000"];
  const folded = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }));
  expect(JSON.stringify(folded).length).toBeLessThan(JSON.stringify(chat).length / 2);
});

test("it serves the chat app, with a database on a thread of its own", async () => {
  const server = spawn(process.execPath, [main, "serve", "--port", "0"], { cwd: folder });
  try {
    let url: string | undefined;
    for await (const line of createInterface(server.stdout)) {
      url = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    const page = await fetch(`${url}/`);
    expect(await page.text()).toContain("<title>Midfold");
    const made = await fetch(`${url}/api/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "From the package" }),
    });
    expect(made.status).toBe(201);
    expect(await (await fetch(`${url}/api/sessions`)).text()).toContain("From the package");
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});
