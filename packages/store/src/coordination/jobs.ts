export interface JobOptions {
  /** While a job with this key waits or runs, another one with the same key is refused. */
  readonly singletonKey?: string;
  readonly retries?: number;
}

/** `payload` must be JSON and name the owner it is for. */
export interface Job<TPayload> {
  readonly id: string;
  readonly payload: TPayload;
  readonly signal: AbortSignal;
}

/** Background work. A job may run more than once, so a handler must check that there is still something to do. */
export interface Jobs {
  /** The job's id, or `undefined` when a job with the same `singletonKey` waits or runs. */
  enqueue(name: string, payload: unknown, options?: JobOptions): Promise<string | undefined>;
  work<TPayload>(
    name: string,
    handler: (job: Job<TPayload>) => Promise<void>,
    options?: { readonly concurrency?: number },
  ): Promise<void>;
}
