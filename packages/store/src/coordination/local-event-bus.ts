import type { EventBus } from "./event-bus.ts";
import type { StoreEvent } from "./events.ts";

export interface LocalEventBus extends EventBus {
  deliver(owner: string, event: StoreEvent): void;
}

/** Events within one process. A listener that throws does not keep the others from hearing. */
export function createLocalEventBus(onError: (error: unknown) => void): LocalEventBus {
  const listeners = new Map<string, Set<(event: StoreEvent) => void>>();

  const bus: LocalEventBus = {
    deliver(owner, event) {
      for (const listener of [...(listeners.get(owner) ?? [])]) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },

    async publish(owner, event) {
      bus.deliver(owner, event);
    },

    async subscribe(owner, listener) {
      const set = listeners.get(owner) ?? new Set();
      listeners.set(owner, set);
      // A new function each time, so that the same listener subscribed twice is called twice.
      const own = (event: StoreEvent) => listener(event);
      set.add(own);
      return () => {
        set.delete(own);
        if (set.size === 0) listeners.delete(owner);
      };
    },

    async close() {
      listeners.clear();
    },
  };
  return bus;
}
