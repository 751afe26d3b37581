/**
 * Proof of who may act, checked where the result is stored: a later holder has a larger `token`, which makes earlier
 * ones invalid.
 */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

export interface Lease extends Fence {
  readonly holder: string;
  readonly expiresAt: number;
}

export interface LeaseOptions {
  readonly ttlMs?: number;
  /** How long to wait for a lease that someone else holds; 0 unless told. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export type ExclusiveOutcome<TResult> =
  | { readonly ran: true; readonly result: TResult }
  /** Someone else held the lease; by now they have finished, or the wait is over (`finished` false). */
  | { readonly ran: false; readonly finished: boolean };

/** Single holders across processes, by the clock of the database. For a fold the name is `foldLease(id)`. */
export interface Leases {
  /** The lease, or `undefined` while someone else holds it. */
  acquire(name: string, options?: LeaseOptions): Promise<Lease | undefined>;
  /** False when the lease was lost. */
  renew(lease: Lease, ttlMs?: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /**
   * Single flight: runs `work` if the lease is free, renewing it meanwhile, and aborts `signal` when it is lost. If
   * someone else holds it, waits up to `waitMs` for them to finish and does *not* run: the caller reads what they did.
   * `work` must first look whether there still is something to do: it may come just after someone who did it.
   */
  runExclusive<TResult>(
    name: string,
    options: LeaseOptions,
    work: (lease: Lease, signal: AbortSignal) => Promise<TResult>,
  ): Promise<ExclusiveOutcome<TResult>>;
}

/** The lease that whoever folds a session must hold. */
export const foldLease = (sessionId: string): string => `fold:${sessionId}`;
