/**
 * Whether somebody wants to know something.
 *
 * @example asks("Which date did we agree on?"); // true
 */
export function asks(text: string): boolean {
  return /[?？؟]/.test(text);
}
