import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";

test("a set of another format is refused with its file, its line and what it should be", async () => {
  const folder = mkdtempSync(join(tmpdir(), "midfold-sets-"));
  const good = '{"id":"a","messages":[{"role":"user","content":"hi"}]}';
  const sets = {
    good,
    none: "",
    other: `${good}\n{"foo":1}`,
    text: "not json",
    speechless: '{"messages":[{"text":"hi"}]}',
  };
  for (const [name, lines] of Object.entries(sets)) writeFileSync(join(folder, `${name}.jsonl.gz`), gzipSync(lines));
  writeFileSync(join(folder, "plain.jsonl.gz"), good);
  vi.stubEnv("MIDFOLD_DATA", folder);
  const { loadSet, setNames } = await import("./data.ts");
  expect(setNames()).toHaveLength(6);
  expect(loadSet("good").conversations).toHaveLength(1);
  expect(() => loadSet("other")).toThrow(/other\.jsonl\.gz, line 2: it has no list of messages.*A set is gzip JSONL/);
  for (const name of ["none", "text", "speechless", "plain"])
    expect(() => loadSet(name)).toThrow(/A set is gzip JSONL/);
  vi.unstubAllEnvs();
});
