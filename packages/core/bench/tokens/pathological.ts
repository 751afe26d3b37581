const bytes = 1_000_000;

/** A megabyte each of what makes other tokenizers stall. */
export const pathological: Readonly<Record<string, () => string>> = {
  a: () => "a".repeat(bytes),
  spaces: () => " ".repeat(bytes),
  newlines: () => "\n".repeat(bytes),
  underscores: () => "_".repeat(bytes),
  emoji: () => "😀".repeat(bytes / 4),
  acgt: () => noise("acgt", bytes),
  "unbroken Chinese": () => noise(ideographs(3000), Math.floor(bytes / 3)),
  base64: () => noise("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bytes),
  NUL: () => "\0".repeat(bytes),
  "lone surrogates": () => "\ud800".repeat(Math.floor(bytes / 3)),
};

const ideographs = (count: number) => String.fromCharCode(...Array.from({ length: count }, (_, at) => 0x4e00 + at));

/** Repeatable noise. */
function noise(alphabet: string, length: number): string {
  let state = 12345;
  let text = "";
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += alphabet[(state >>> 12) % alphabet.length];
  }
  return text;
}
