import { expect, test } from "vitest";
import { createLogger, plainLines } from "./create-logger.ts";

test("log lines keep secrets to themselves; the line of a request names its key's id", () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", stream: { write: (line: string) => void lines.push(line) } });
  logger.info({ apiKey: "sk-1", upstream: { key: "sk-2" } }, "configured");
  plainLines(logger).info({ keyId: "key_1", ms: 4 }, "request");
  plainLines(logger).debug({ keyId: "key_1" }, "not asked for");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", apiKey: "[redacted]", upstream: { key: "[redacted]" }, msg: "configured" },
    { level: "info", keyId: "key_1", ms: 4, msg: "request" },
  ]);
  expect(lines.join("")).not.toContain("sk-");
  for (const line of lines) expect(new Date(JSON.parse(line).time).getTime()).toBeGreaterThan(0);
});
