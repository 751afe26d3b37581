/** A token count as servers report it: whole and not negative; text and floats are tolerated, nonsense is not. */
export function countField(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return Math.max(0, Math.round(number));
}
