import { MidfoldError } from "@midfold/core";

export interface CanonicalPath {
  readonly path: string;
  readonly query: string;
}

// Spellings that two layers have been known to read differently: that is how checks by path were bypassed elsewhere.
const ambiguous = /\/\/|\\|;|%00|%2e|%5c|(?:^|\/)\.{1,2}(?:\/|$)/i;
const printable = /^[\x21-\x7e]*$/;

/** One spelling per path, decided before any check looks at it; throws VALIDATION_ERROR for ambiguous ones. */
export function canonicalPath(target: string): CanonicalPath {
  const mark = target.indexOf("?");
  const raw = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (!raw.startsWith("/") || !printable.test(raw) || raw.includes("#") || ambiguous.test(raw)) {
    throw new MidfoldError("VALIDATION_ERROR", "The request path has an ambiguous spelling; write it plainly.");
  }
  const path = raw.length > 1 && raw.endsWith("/") ? raw.slice(0, -1) : raw;
  return { path, query };
}
