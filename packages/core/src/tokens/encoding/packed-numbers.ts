// Numbers up to about 260 000 in two or three characters that a JavaScript string literal holds without an escape. The
// first character tells how many follow, so small numbers, which are the common ones, stay short.
const base = 91;
const first = 35;
const skipped = 92;

/** The printable characters from 35 to 126 without the backslash. */
const toChar = (digit: number) => String.fromCharCode(digit + first + (digit + first >= skipped ? 1 : 0));
const toDigit = (unit: number) => unit - first - (unit > skipped ? 1 : 0);

const twoChars = 60 * base;
const threeChars = 31 * base * base;

export function packNumbers(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (const number of numbers) {
    if (number < twoChars) parts.push(toChar(Math.floor(number / base)) + toChar(number % base));
    else if (number < twoChars + threeChars) {
      const rest = number - twoChars;
      const low = rest % (base * base);
      parts.push(toChar(60 + Math.floor(rest / (base * base))) + toChar(Math.floor(low / base)) + toChar(low % base));
    } else throw new RangeError(`${number} is too large to pack`);
  }
  return parts.join("");
}

export function unpackNumbers(packed: string): Int32Array {
  const bytes = new TextEncoder().encode(packed);
  const digits = new Uint8Array(128);
  for (let unit = first; unit < 127; unit++) digits[unit] = toDigit(unit);
  const numbers = new Int32Array(bytes.length >>> 1);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const head = digits[bytes[at]!]!;
    const low = head * base + digits[bytes[at + 1]!]!;
    if (head < 60) {
      numbers[count++] = low;
      at += 2;
    } else {
      numbers[count++] = twoChars + (low - 60 * base) * base + digits[bytes[at + 2]!]!;
      at += 3;
    }
  }
  return numbers.subarray(0, count);
}
