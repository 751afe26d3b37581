import type { StoreEvent } from "./events.ts";

/** Carries events between the replicas of one store. */
export interface EventBus {
  publish(owner: string, event: StoreEvent): Promise<void>;
  subscribe(owner: string, listener: (event: StoreEvent) => void): Promise<() => void>;
  close(): Promise<void>;
}
