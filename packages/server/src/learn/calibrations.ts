import { getCounter, type TokenCounter } from "@midfold/core";
import type { Store } from "@midfold/store";
import { calibratedCounter } from "./calibrated-counter.ts";

export interface CalibrationRatio {
  readonly model: string;
  readonly counter: string;
  readonly ratio: number;
  readonly samples: number;
}

/** How far local counts are from what providers bill, per tenant and model, learned from every answer. */
export interface Calibrations {
  recall(tenant: string): Promise<void>;
  /** The counter to use for a model: exact where there is one, corrected by experience where there is not. */
  counterFor(tenant: string, model: string): TokenCounter;
  /** Notes that a request we counted as `counted` (by the counter in force) was billed as `billed`. */
  observe(tenant: string, model: string, counted: number, billed: number): void;
  ratioOf(tenant: string, model: string): CalibrationRatio | undefined;
  list(tenant: string | undefined): readonly CalibrationRatio[];
}

export interface CalibrationsOptions {
  readonly store: Store | undefined;
  readonly onStoreError: (error: unknown) => void;
}

const newestShare = 0.2;
const lowest = 0.5;
const highest = 3;
/** Requests smaller than this say more about overheads than about text. */
const minTokens = 500;
/** Answers after which the estimate is trusted more than before the first. */
const settledSamples = 5;
const maxTenants = 10_000;

interface Learned extends CalibrationRatio {
  /** Moving average of how far off the corrected counts were. */
  readonly error: number;
  readonly used: TokenCounter;
}

export function createCalibrations(options: CalibrationsOptions): Calibrations {
  const { store, onStoreError } = options;
  const tenants = new Map<
    string,
    { readonly models: Map<string, Learned>; readonly ready: Promise<void> | undefined }
  >();

  const memoryOf = (tenant: string) => {
    const found = tenants.get(tenant);
    if (found !== undefined) return found;
    if (tenants.size >= maxTenants) tenants.clear();
    const models = new Map<string, Learned>();
    const memory = { models, ready: store === undefined ? undefined : load(store, tenant, models) };
    tenants.set(tenant, memory);
    return memory;
  };
  const load = async (from: Store, tenant: string, models: Map<string, Learned>) => {
    try {
      for (const { model, counter, ratio, samples } of await from.of(tenant).calibrations.list()) {
        if (getCounter(model).name === counter && !models.has(model))
          models.set(model, learned(model, ratio, samples, 0.05));
      }
    } catch (error) {
      onStoreError(error);
    }
  };
  return {
    recall: async (tenant) => memoryOf(tenant).ready,
    counterFor: (tenant, model) => memoryOf(tenant).models.get(model)?.used ?? getCounter(model),
    ratioOf: (tenant, model) => memoryOf(tenant).models.get(model),
    observe: (tenant, model, counted, billed) => {
      const inner = getCounter(model);
      if (inner.exact || counted < minTokens || billed <= 0) return;
      const { models } = memoryOf(tenant);
      const before = models.get(model);
      const inForce = before === undefined ? 1 : rounded(before.ratio);
      const seen = Math.min(highest, Math.max(lowest, (billed * inForce) / counted));
      const ratio = before === undefined ? seen : before.ratio + (seen - before.ratio) * newestShare;
      const off = Math.abs(counted - billed) / billed;
      const error = before === undefined ? off : before.error + (off - before.error) * newestShare;
      const next = learned(model, ratio, (before?.samples ?? 0) + 1, error);
      models.set(model, next);
      const { counter, samples } = next;
      store?.of(tenant).calibrations.put({ model, counter, ratio, samples }).catch(onStoreError);
    },
    list: (tenant) =>
      tenant === undefined
        ? [...tenants.values()].flatMap(({ models }) => [...models.values()])
        : [...memoryOf(tenant).models.values()],
  };
}

/** Two decimals are as much as an average of such figures knows, and spare a new counter for every answer. */
const rounded = (ratio: number) => Math.round(ratio * 50) / 50;

function learned(model: string, ratio: number, samples: number, error: number): Learned {
  const inner = getCounter(model);
  const bound = Math.max(0.02, Math.min(0.25, error * 2)) + (samples < settledSamples ? 0.03 : 0);
  return { model, counter: inner.name, ratio, samples, error, used: calibratedCounter(inner, rounded(ratio), bound) };
}
