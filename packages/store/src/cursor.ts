import { MidfoldError } from "@midfold/core";

/** The place where the next page starts, opaque to callers. */
export function encodeCursor(...place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** The numbers and strings a cursor was made of; `VALIDATION_ERROR` when it was not made here. */
export function decodeCursor<TPlace extends readonly (string | number)[]>(
  cursor: string,
  shape: { readonly [Index in keyof TPlace]: "string" | "number" },
): TPlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(place) && place.length === shape.length && place.every((item, i) => typeof item === shape[i])) {
      return place as unknown as TPlace;
    }
  } catch {
    // A cursor that is not JSON gets the same error as one that is not ours.
  }
  throw new MidfoldError("VALIDATION_ERROR", "The cursor is not one that a list returned. Start from the first page.");
}

/** A limit within bounds, whatever was asked for. */
export function pageSize(asked: number | undefined, usual: number, most: number): number {
  if (asked === undefined) return usual;
  if (!Number.isInteger(asked) || asked < 1) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `A limit must be a whole number from 1 to ${most}; this one is ${asked}.`,
    );
  }
  return Math.min(asked, most);
}
