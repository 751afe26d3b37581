import { getCounter } from "../get-counter.ts";
import { CalibratedCounter } from "./calibrated-counter.ts";
import type { CalibrationStore } from "./calibration.ts";

export interface CalibrationsOptions {
  readonly store?: CalibrationStore;
  /** Told when the store fails; counting goes on without it. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The calibrated counters of all models in use, loaded from a store and saved to it as they learn.
 *
 * @example
 * const calibrations = new Calibrations();
 * await calibrations.observe("claude-sonnet-4-5", 10_000, 11_200); // counted, billed
 * const counter = await calibrations.counterFor("claude-sonnet-4-5");
 */
export class Calibrations {
  readonly #store: CalibrationStore | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #counters = new Map<string, Promise<CalibratedCounter>>();

  constructor(options: CalibrationsOptions = {}) {
    this.#store = options.store;
    this.#onError = options.onError ?? (() => {});
  }

  /** The counter of a model, the same one for every caller. */
  counterFor(model: string): Promise<CalibratedCounter> {
    let counter = this.#counters.get(model);
    if (counter === undefined) {
      counter = this.#load(model);
      this.#counters.set(model, counter);
    }
    return counter;
  }

  /** Learns that a request of `counted` tokens before correction was `billed` tokens to the provider. */
  async observe(model: string, counted: number, billed: number): Promise<void> {
    const counter = await this.counterFor(model);
    const before = counter.calibration;
    counter.observeTotal(counted, billed);
    if (this.#store === undefined || counter.calibration === before) return;
    await this.#store.save(model, counter.calibration).catch(this.#onError);
  }

  async #load(model: string): Promise<CalibratedCounter> {
    const calibration = await this.#store?.load(model).catch((error: unknown) => {
      this.#onError(error);
      return undefined;
    });
    return new CalibratedCounter(getCounter(model), calibration === undefined ? {} : { calibration });
  }
}
