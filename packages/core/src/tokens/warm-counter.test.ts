import { get_encoding } from "tiktoken";
import { expect, it } from "vitest";
import { getEncoding } from "./encoding/get-encoding.ts";
import { getCounter } from "./get-counter.ts";
import { warmCounter } from "./warm-counter.ts";

/** A pause that tells how often it was asked for. */
function countingPause(during: () => void = () => {}) {
  const pause = Object.assign(
    async () => {
      pause.count++;
      during();
    },
    { count: 0 },
  );
  return pause;
}

// Each encoding is built once in a process, so every test here takes another one.
it("builds the table of a model in steps, and counting then finds it", async () => {
  const pause = countingPause();
  await warmCounter("gpt-4o", { pause });
  expect(pause.count).toBeGreaterThan(5);
  expect(getCounter("gpt-4o").count("Hello, world")).toBe(get_encoding("o200k_base").encode("Hello, world").length);
  const again = countingPause();
  await warmCounter("claude-sonnet-4-5", { pause: again });
  await warmCounter(undefined, { pause: again });
  await warmCounter("nobody knows me", { pause: again });
  expect(again.count).toBe(0);
});

it("builds once for all who ask meanwhile", async () => {
  const pause = countingPause();
  await Promise.all([warmCounter("gpt-4", { pause }), warmCounter("gpt-3.5-turbo", { pause })]);
  const alone = countingPause();
  await warmCounter("davinci", { pause: alone });
  expect(pause.count).toBeLessThan(alone.count * 2);
});

it("does not mind a count that could not wait", async () => {
  let built: unknown;
  const pause = countingPause(() => {
    built ??= getEncoding("p50k_base");
  });
  await warmCounter("text-davinci-003", { pause });
  expect(getEncoding("p50k_base")).toBe(built);
});
