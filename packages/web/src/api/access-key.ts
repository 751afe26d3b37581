const storageName = "midfold.key";
const listeners = new Set<() => void>();

/** The key of a server that asks for one; kept in this tab only. */
export const accessKey = {
  get: (): string | null => sessionStorage.getItem(storageName),
  set(key: string): void {
    sessionStorage.setItem(storageName, key);
  },
  /** Called when the server refuses us. */
  onRefused(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  refused(): void {
    for (const listener of listeners) listener();
  },
};
