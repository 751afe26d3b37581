const storageName = "midfold.key";
const listeners = new Set<() => void>();

/** The key for a server that requires one; kept in this tab only. */
export const accessKey = {
  get: (): string | null => sessionStorage.getItem(storageName),
  set(key: string): void {
    sessionStorage.setItem(storageName, key);
  },
  /** Called when the server refuses the key, or asks for one. */
  onRefused(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  refused(): void {
    for (const listener of listeners) listener();
  },
};
