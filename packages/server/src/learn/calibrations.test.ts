import { getCounter } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { createCalibrations } from "./calibrations.ts";

const options = { store: undefined, onStoreError: () => undefined };
const model = "claude-sonnet-4-5";
const text = "Some words that are long enough to be counted in a few tokens.";

describe("createCalibrations", () => {
  it("comes to count as the provider bills, whatever the factor", () => {
    for (const factor of [0.8, 1.3, 1.7]) {
      const calibrations = createCalibrations(options);
      for (let i = 0; i < 60; i++) {
        const counted = calibrations.counterFor("t", model).count(text);
        calibrations.observe("t", model, counted * 100, getCounter(model).count(text) * 100 * factor);
      }
      expect(calibrations.ratioOf("t", model)?.ratio).toBeCloseTo(factor, 1);
    }
  });

  it("leaves exact counters alone and forgets nonsense", () => {
    const calibrations = createCalibrations(options);
    calibrations.observe("t", "gpt-4o", 10_000, 20_000);
    expect(calibrations.counterFor("t", "gpt-4o")).toBe(getCounter("gpt-4o"));
    calibrations.observe("t", model, 10_000, 1e9);
    calibrations.observe("t", model, 10_000, -5);
    expect(calibrations.ratioOf("t", model)).toMatchObject({ ratio: 1, samples: 0 });
  });

  it("keeps tenants apart", () => {
    const calibrations = createCalibrations(options);
    calibrations.observe("anna", model, 10_000, 15_000);
    expect(calibrations.ratioOf("bert", model)).toBeUndefined();
  });
});
