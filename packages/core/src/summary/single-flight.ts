/**
 * Runs one piece of work per key at a time: who asks for a key that is being worked on gets the same promise. Cancelling
 * is per caller: the work itself stops only when all who wait for it have gone.
 */
export interface SingleFlight<TResult> {
  run(key: string, work: (signal: AbortSignal) => Promise<TResult>, signal?: AbortSignal): Promise<TResult>;
  readonly size: number;
}

interface Flight<TResult> {
  readonly promise: Promise<TResult>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Runs work at most once per key at a time: who asks while it runs gets the same promise.
 *
 * @example
 * const flights = createSingleFlight<string>();
 * const [a, b] = await Promise.all([flights.run("s1", write), flights.run("s1", write)]); // written once
 */
export function createSingleFlight<TResult>(): SingleFlight<TResult> {
  const flights = new Map<string, Flight<TResult>>();
  return {
    get size() {
      return flights.size;
    },
    run(key, work, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      let flight = flights.get(key);
      if (flight === undefined) {
        const abort = new AbortController();
        // Deferred, so that work that throws at once still rejects the promise instead of the caller.
        const promise = Promise.resolve()
          .then(() => work(abort.signal))
          .finally(() => {
            if (flights.get(key)?.promise === promise) flights.delete(key);
          });
        promise.catch(() => {});
        flight = { promise, abort, waiting: 0 };
        flights.set(key, flight);
      }
      return join(flight, signal, () => flights.delete(key));
    },
  };
}

function join<TResult>(flight: Flight<TResult>, signal: AbortSignal | undefined, forget: () => void): Promise<TResult> {
  flight.waiting++;
  if (signal === undefined) return flight.promise;
  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiting--;
      if (flight.waiting === 0) {
        forget();
        flight.abort.abort(signal.reason);
      }
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    flight.promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
