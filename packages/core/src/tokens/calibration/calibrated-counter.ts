import { asMessages } from "../../formats/as-messages.ts";
import type { Message, ToolDefinition } from "../../message/message.ts";
import type { TokenCounter } from "../token-counter.ts";
import type { ToolChoice } from "../tool-choice.ts";
import { type Calibration, type CalibrationLimits, calibrate, errorBoundOf, startCalibration } from "./calibration.ts";

export interface CalibratedCounterOptions {
  readonly calibration?: Calibration;
  readonly limits?: Partial<CalibrationLimits>;
}

/** A counter corrected by what the provider reported for earlier requests of the same model. */
export class CalibratedCounter implements TokenCounter {
  readonly exact: boolean;
  readonly #inner: TokenCounter;
  readonly #limits: CalibrationLimits;
  #calibration: Calibration;

  constructor(inner: TokenCounter, options: CalibratedCounterOptions = {}) {
    this.#inner = inner;
    this.exact = inner.exact;
    this.#limits = { ...(inner.exact ? exactLimits : estimateLimits), ...priorOf(inner), ...options.limits };
    this.#calibration = options.calibration ?? startCalibration(this.#limits);
  }

  /** The rule with its correction, so that counts before and after a change of it are not taken for each other. */
  get name(): string {
    return this.ratio === 1 ? this.#inner.name : `${this.#inner.name}*${this.ratio.toFixed(2)}`;
  }

  get calibration(): Calibration {
    return this.#calibration;
  }

  /** The correction in use, in steps of a hundredth: counts, and so folds, do not change with every answer. */
  get ratio(): number {
    return Math.round(this.#calibration.ratio * 100) / 100;
  }

  /** By how much of itself a count may be wrong: what to keep free as a safety margin. */
  get errorBound(): number {
    return errorBoundOf(this.#calibration);
  }

  /** Learns from a request that was sent: what it was before correction, and what the provider counted. */
  observe(messages: readonly Message[], tools: readonly ToolDefinition[], billed: number): void {
    this.observeTotal(this.#inner.countMessages(messages) + this.#inner.countTools(tools), billed);
  }

  observeTotal(counted: number, billed: number): void {
    this.#calibration = calibrate(this.#calibration, { counted, billed }, this.#limits);
  }

  count(text: string): number {
    return this.#scale(this.#inner.count(text));
  }

  countMessage(message: Message | object): number {
    return this.#scale(this.#inner.countMessage(message));
  }

  countMessages(messages: readonly (Message | object)[]): number {
    let tokens = this.#scale(this.#inner.countMessages([]));
    for (const message of asMessages(messages)) tokens += this.countMessage(message);
    return tokens;
  }

  countTools(tools: readonly ToolDefinition[], choice?: ToolChoice): number {
    return this.#scale(this.#inner.countTools(tools, choice));
  }

  take(text: string, maxTokens: number): string {
    return this.#inner.take(text, Math.floor(maxTokens / this.ratio));
  }

  takeLast(text: string, maxTokens: number): string {
    return this.#inner.takeLast(text, Math.floor(maxTokens / this.ratio));
  }

  /** The counter without correction, to prepare long texts with. */
  get inner(): TokenCounter {
    return this.#inner;
  }

  #scale(tokens: number): number {
    // Rounded first, so that a product like 100 × 1.1 does not come out a token too high.
    return Math.ceil(Math.round(tokens * this.ratio * 1000) / 1000);
  }
}

const exactLimits: CalibrationLimits = { minRatio: 0.9, maxRatio: 1.25, priorError: 0.01 };
const estimateLimits: CalibrationLimits = { minRatio: 0.5, maxRatio: 2, priorError: 0.07 };

/** What a counter says about its own error is three times its usual one. */
function priorOf(counter: TokenCounter): Partial<CalibrationLimits> {
  const bound = "errorBound" in counter ? counter.errorBound : undefined;
  return typeof bound === "number" ? { priorError: bound / 3 } : {};
}
