// Shapes of secrets that providers echo in error messages: `sk-…`, `AIza…`, `Bearer …`, `key=…` in a URL, JWTs.
const secretShapes = [
  /\b(?:sk|pk|rk|mf|xai|gsk|hf|ghp|glpat)[-_][A-Za-z0-9_*-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b(api[-_]?key|key|token|password|secret)=[^\s&"']+/gi,
];

/** Text that may be shown or logged: everything that looks like a secret is replaced. */
export function redactText(text: string): string {
  let redacted = text;
  for (const shape of secretShapes) {
    redacted = redacted.replace(shape, (_match, label: unknown) =>
      typeof label === "string" ? `${label} [redacted]` : "[redacted]",
    );
  }
  return redacted;
}
