import { z } from "zod";

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const byteUnits: Readonly<Record<string, number>> = { b: 1, kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3 };

/** Milliseconds, or a text such as `500ms`, `30s`, `2m`, `30d`. */
export const durationSchema = quantity(
  durationUnits,
  "a duration such as 500ms, 30s or 2m, or a number of milliseconds",
);

/** Bytes, or a text such as `512kb`, `32mb`. */
export const bytesSchema = quantity(byteUnits, "a size such as 512kb or 32mb, or a number of bytes");

function quantity(units: Readonly<Record<string, number>>, expected: string) {
  return z.union([z.number(), z.string()]).transform((value, context) => {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(value).trim());
    const unit = match?.[2] === "" ? 1 : units[match?.[2]?.toLowerCase() ?? "?"];
    const amount = Math.round(Number(match?.[1]) * (unit ?? Number.NaN));
    if (Number.isSafeInteger(amount) && amount > 0) return amount;
    context.addIssue({ code: "custom", message: `must be ${expected}` });
    return z.NEVER;
  });
}
