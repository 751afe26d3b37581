import { getCounter } from "@midfold/core";
import type { Store } from "@midfold/store";
import { describe, expect, it, vi } from "vitest";
import { type CalibrationRatio, createCalibrations } from "./calibrations.ts";

const options = { store: undefined, onStoreError: () => undefined };
const model = "claude-sonnet-4-5";
const text = "Some words that are long enough to be counted in a few tokens.";

function watchedStore() {
  const put = vi.fn(async (_: CalibrationRatio) => undefined);
  const store = { of: () => ({ calibrations: { put, list: async () => [] } }) } as unknown as Store;
  return { store, put };
}

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

  it("stores once what many requests taught, and all of it when the server stops", async () => {
    const { store, put } = watchedStore();
    const calibrations = createCalibrations({ ...options, store });
    for (let i = 0; i < 50; i++) calibrations.observe("t", model, 10_000, 15_000);
    expect(put).not.toHaveBeenCalled();
    await calibrations.idle();
    expect(put.mock.calls).toEqual([[calibrations.ratioOf("t", model)]]);
    await calibrations.idle();
    expect(put).toHaveBeenCalledTimes(1);
  });

  it("stores what it learned while the server runs", async () => {
    vi.useFakeTimers();
    try {
      const { store, put } = watchedStore();
      const calibrations = createCalibrations({ ...options, store });
      for (let i = 0; i < 3; i++) {
        calibrations.observe("t", model, 10_000, 15_000);
        await vi.advanceTimersByTimeAsync(1_000);
        expect(put).toHaveBeenCalledTimes(i + 1);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps tenants apart", () => {
    const calibrations = createCalibrations(options);
    calibrations.observe("anna", model, 10_000, 15_000);
    expect(calibrations.ratioOf("bert", model)).toBeUndefined();
  });
});
