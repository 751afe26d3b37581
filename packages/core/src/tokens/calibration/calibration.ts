/** What was learnt about one model: how the provider's counts relate to ours. */
export interface Calibration {
  /** The provider's tokens per token of ours, as a moving average. */
  readonly ratio: number;
  /** How far single requests were off after correction, as a share: a moving average of the absolute error. */
  readonly error: number;
  readonly samples: number;
}

/** Where calibrations live between runs. */
export interface CalibrationStore {
  load(model: string): Promise<Calibration | undefined>;
  save(model: string, calibration: Calibration): Promise<void>;
}

export interface CalibrationLimits {
  /** The ratio never leaves these bounds, whatever a provider reports. */
  readonly minRatio: number;
  readonly maxRatio: number;
  /** The share by which counts may be off before anything is known. */
  readonly priorError: number;
}

/** One sample counts for at most this much once there are many: about the last ten requests decide. */
const newestShare = 0.1;
/** Below this a request is mostly overhead, and says little about text. */
const minTokens = 100;
/** Beyond this the two numbers are not about the same request. */
const mostOff = 5;

export const startCalibration = (limits: CalibrationLimits): Calibration => ({
  ratio: 1,
  error: limits.priorError,
  samples: 0,
});

/** The calibration after a request that we counted as `counted` (uncorrected) and the provider as `billed`. */
export function calibrate(
  before: Calibration,
  sample: { readonly counted: number; readonly billed: number },
  limits: CalibrationLimits,
): Calibration {
  const { counted, billed } = sample;
  if (!(counted >= minTokens && billed >= minTokens)) return before;
  const seen = billed / counted;
  if (seen > mostOff || seen < 1 / mostOff) return before;
  const share = Math.max(newestShare, 1 / (before.samples + 1));
  // The first request corrects the ratio; only from the second on does being off say something about the error.
  const off = before.samples === 0 ? before.error : Math.abs(seen / before.ratio - 1);
  return {
    ratio: clamp(before.ratio + (seen - before.ratio) * share, limits.minRatio, limits.maxRatio),
    error: before.error + (off - before.error) * Math.max(newestShare, 1 / (before.samples + 2)),
    samples: before.samples + 1,
  };
}

/** The share to add to a count so that it is almost never too low: three times the usual error. */
export const errorBoundOf = (calibration: Calibration) => Math.min(0.5, calibration.error * 3);

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
