import { getCounter, type TokenCounter } from "@midfold/core";
import { CalibratedCounter } from "@midfold/core/tokens";
import type { Store } from "@midfold/store";
import { LRUCache } from "lru-cache";
import type { LimitKey } from "./limits.ts";

export interface CalibrationRatio {
  readonly model: string;
  readonly counter: string;
  readonly ratio: number;
  readonly samples: number;
}

/** How far local counts are from what providers bill, per tenant and model, learned from every answer. */
export interface Calibrations {
  /** Resolves when the stored calibrations of this tenant are in memory; undefined when they already are. */
  load(tenant: string): Promise<void> | undefined;
  /** The counter for a model: an exact one where it exists, otherwise one corrected by experience. */
  counterFor(tenant: string, model: string): TokenCounter;
  /** Records that a request we counted as `counted`, with the current counter, was billed as `billed`. */
  observe(tenant: string, model: string, counted: number, billed: number): void;
  /**
   * Records that an upstream counted `theirs` where we counted `ours`: some servers use another tokenizer than the
   * model's name suggests.
   */
  compare(key: LimitKey, ours: number, theirs: number): void;
  /** The share by which this upstream recently counted more than we did; 0 if it never did. */
  errorOf(key: LimitKey): number;
  ratioOf(tenant: string, model: string): CalibrationRatio | undefined;
  list(tenant: string | undefined): readonly CalibrationRatio[];
  /** Resolves when everything observed so far is stored. */
  idle(): Promise<void>;
}

export interface CalibrationsOptions {
  readonly store: Store | undefined;
  readonly onStoreError: (error: unknown) => void;
}

/** The assumed error of a stored calibration, which has none, until new answers arrive. */
const recalledError = 0.05;
const maxTenants = 10_000;
const maxModels = 1_000;
/** A larger difference is not an error of counting. */
const largestError = 0.5;
/** How much of a measured error remains when the next request shows a smaller one. */
const fading = 0.95;
/** A calibration is stored once for everything observed in this time: each commit of the database waits for the disk. */
const storedEveryMs = 1_000;

interface Memory {
  readonly models: Map<string, CalibratedCounter>;
  /** By upstream and model: how much more the upstream counted than we did. */
  readonly errors: Map<string, number>;
  ready: Promise<void> | undefined;
}

export function createCalibrations({ store, onStoreError }: CalibrationsOptions): Calibrations {
  const unstored = new Map<string, { readonly tenant: string; readonly model: string }>();
  let timer: NodeJS.Timeout | undefined;
  const tenants = new LRUCache<string, Memory>({ max: maxTenants });
  // A model's family is determined once.
  const plain = new Map<string, TokenCounter>();
  const plainCounter = (model: string): TokenCounter => {
    const known = plain.get(model);
    if (known !== undefined) return known;
    const counter = getCounter(model);
    if (plain.size < maxModels) plain.set(model, counter);
    return counter;
  };

  const memoryOf = (tenant: string): Memory => {
    const found = tenants.get(tenant);
    if (found !== undefined) return found;
    const models = new Map<string, CalibratedCounter>();
    const memory: Memory = { models, errors: new Map(), ready: undefined };
    if (store !== undefined) {
      memory.ready = read(store, tenant, models).then(() => {
        memory.ready = undefined;
      });
    }
    tenants.set(tenant, memory);
    return memory;
  };
  const read = async (from: Store, tenant: string, models: Map<string, CalibratedCounter>) => {
    try {
      for (const { model, counter, ratio, samples } of await from.of(tenant).calibrations.list()) {
        const inner = getCounter(model);
        if (inner.exact || inner.name !== counter || models.has(model)) continue;
        models.set(model, new CalibratedCounter(inner, { calibration: { ratio, samples, error: recalledError } }));
      }
    } catch (error) {
      onStoreError(error);
    }
  };
  const storeAll = async (to: Store) => {
    clearTimeout(timer);
    timer = undefined;
    const entries = [...unstored.values()];
    unstored.clear();
    await Promise.all(
      entries.map(({ tenant, model }) => {
        const counter = memoryOf(tenant).models.get(model);
        return counter && to.of(tenant).calibrations.put(describe(model, counter)).catch(onStoreError);
      }),
    );
  };
  return {
    load: (tenant) => memoryOf(tenant).ready,
    counterFor: (tenant, model) => memoryOf(tenant).models.get(model) ?? plainCounter(model),
    observe: (tenant, model, counted, billed) => {
      const inner = plainCounter(model);
      if (inner.exact) return;
      const { models } = memoryOf(tenant);
      const known = models.get(model);
      const counter = known ?? new CalibratedCounter(inner);
      if (known === undefined && models.size < maxModels) models.set(model, counter);
      counter.observeTotal(counted / counter.ratio, billed);
      if (store === undefined || counter.calibration.samples === 0) return;
      unstored.set(`${tenant}\n${model}`, { tenant, model });
      timer ??= setTimeout(() => storeAll(store), storedEveryMs).unref();
    },
    compare: ({ tenant, upstream, model }, ours, theirs) => {
      if (!(ours > 0 && theirs > 0)) return;
      const more = theirs / ours - 1;
      if (more > largestError) return;
      const { errors } = memoryOf(tenant);
      const name = `${upstream}\n${model}`;
      const known = errors.get(name);
      if (known === undefined && errors.size >= maxModels) return;
      errors.set(name, Math.max(more, (known ?? 0) * fading, 0));
    },
    errorOf: ({ tenant, upstream, model }) => memoryOf(tenant).errors.get(`${upstream}\n${model}`) ?? 0,
    ratioOf: (tenant, model) => {
      const counter = memoryOf(tenant).models.get(model);
      return counter === undefined ? undefined : describe(model, counter);
    },
    list: (tenant) =>
      (tenant === undefined ? [...tenants.values()] : [memoryOf(tenant)]).flatMap(({ models }) =>
        [...models].map(([model, counter]) => describe(model, counter)),
      ),
    idle: async () => {
      if (store !== undefined) await storeAll(store);
    },
  };
}

function describe(model: string, counter: CalibratedCounter): CalibrationRatio {
  const { ratio, samples } = counter.calibration;
  return { model, counter: counter.inner.name, ratio, samples };
}
