/** JSON for counting only: what cannot be serialised (a cycle, a BigInt, endless depth) still gets a rough text. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value === "object" && value !== null ? Object.keys(value).join(" ") : String(value);
  }
}
