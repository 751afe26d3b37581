/**
 * Sent with every reply. The page may load nothing but what this server serves, and nobody may frame it. Pictures are
 * the exception: the app loads one from another host only after the reader's click.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** For HTML, on top of the others. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https:; font-src 'self'; " +
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/**
 * For the page that draws diagrams inside a message. Drawings need inline styles, so it may use them, and therefore
 * nothing else: no request, no picture from anywhere, no script but its own, and only our pages may frame it.
 */
export const drawingHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "x-frame-options": "SAMEORIGIN",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};
