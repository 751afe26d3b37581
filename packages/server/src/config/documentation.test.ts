import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { providerDefaults } from "./provider-defaults.ts";

const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");

test("the example of docs/configuration.md loads as it stands", () => {
  const text = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const config = loadConfig(
    { file: "docs/configuration.md", text },
    { ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "b", TEAM: "c" },
  );
  expect(config.routes.map((route) => route.upstream)).toEqual(["claude", "local", "*"]);
  expect(config.server.limits.bodyBytes).toBe(32 * 1024 ** 2);
});

test("it names every provider", () => {
  for (const provider of Object.keys(providerDefaults)) expect(page).toContain(`\`${provider}\``);
});
