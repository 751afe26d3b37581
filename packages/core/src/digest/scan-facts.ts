import type { FactKind } from "./fact.ts";
import { extension, monthFirst, number, phone, suffix, url, windowsPath } from "./fact-patterns.ts";

export type Emit = (kind: FactKind, start: number, end: number) => void;

/** What separates chunks, one mark per UTF-16 unit: a table is read several times faster than a pattern is run. */
const separators = new Uint8Array(65_536);
for (const char of "\"'`<>()[]{},;|\\*!?=“”‘’«»…，。；：！？、（）「」【】《》\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff→") {
  separators[char.charCodeAt(0)] = 1;
}
separators.fill(1, 0x2000, 0x200b);
const longestChunk = 300;

/**
 * Finds exact things in a text, in one pass: the text is cut into chunks at spaces, quotes and brackets, and each chunk
 * is judged by the characters it is made of. Patterns run only at a chunk's start, sticky and bounded, so the work is
 * linear whatever the text.
 */
export function scanFacts(text: string, emit: Emit, options: { readonly names: boolean }): void {
  let nameStart = -1;
  let nameEnd = -1;
  const endName = () => {
    if (nameStart !== -1 && text.slice(nameStart, nameEnd).includes(" ")) emit("name", nameStart, nameEnd);
    nameStart = -1;
  };
  for (let next = 0; next < text.length; ) {
    const start = next;
    let small = true;
    for (; next < text.length; next++) {
      const code = text.charCodeAt(next);
      if (code >= 97 && code <= 122) continue;
      if (separators[code] === 1) break;
      small = false;
    }
    const stop = next++;
    if (stop === start) continue;
    if (small) {
      // A word in small letters is nothing exact.
      endName();
      continue;
    }
    const end = trimEnd(text, start, stop);
    const first = text.charCodeAt(start);
    if (text[start + 1] === ":" && text[start + 2] === "\\") {
      const found = start + stickyAt(windowsPath, text, start);
      if (found > start) emit("path", start, found);
      next = Math.max(next, found);
      continue;
    }
    const shape = shapeOf(text, start, Math.min(end, start + longestChunk));
    if (options.names && shape.capitalised) {
      if (nameStart !== -1 && start === nameEnd + 1 && text[nameEnd] === " ") nameEnd = end;
      else {
        endName();
        if (start > 1 && text[start - 1] === " " && /[a-z,]/.test(text[start - 2]!)) emit("name", start, end);
        nameStart = start;
        nameEnd = end;
      }
      if (end !== stop) endName();
      if (!stickyAt(monthFirst, text, start)) continue;
    } else if (options.names) endName();
    // Words are nothing exact; codes in capitals (JFK, CSV) are.
    if (shape.plain && !shape.capitalised && (shape.lower > 0 || shape.upper < 3)) continue;
    next = Math.max(next, classify(text, start, end, first, shape, emit));
  }
  endName();
}

interface Shape {
  /** Letters only. */
  readonly plain: boolean;
  readonly capitalised: boolean;
  readonly digits: number;
  readonly upper: number;
  readonly lower: number;
  readonly slashes: number;
  readonly marks: number;
  readonly camel: boolean;
  readonly at: number;
  readonly colon: number;
}

function shapeOf(text: string, start: number, end: number): Shape {
  let digits = 0;
  let upper = 0;
  let lower = 0;
  let slashes = 0;
  let marks = 0;
  let camel = false;
  let at = -1;
  let colon = -1;
  let previousLower = false;
  let other = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    let isLower = false;
    if (code >= 97 && code <= 122) {
      lower++;
      isLower = true;
    } else if (code >= 65 && code <= 90) {
      upper++;
      if (previousLower) camel = true;
    } else if (code >= 48 && code <= 57) digits++;
    else if (code === 47) slashes++;
    else if (code === 64) at = i;
    else if (code === 58 && colon === -1) colon = i;
    else if (code === 95 || code === 45 || code === 46) marks++;
    else other++;
    previousLower = isLower;
  }
  const length = end - start;
  const plain = lower + upper + other === length && !camel;
  const firstUpper = upper > 0 && text.charCodeAt(start) >= 65 && text.charCodeAt(start) <= 90;
  return {
    plain,
    capitalised: plain && firstUpper && upper === 1 && lower + other > 1,
    digits,
    upper,
    lower,
    slashes,
    marks,
    camel,
    at,
    colon,
  };
}

/** Emits what a chunk is, if it is anything; returns where scanning may go on. */
function classify(text: string, start: number, end: number, first: number, shape: Shape, emit: Emit): number {
  const length = end - start;
  if (shape.capitalised) {
    const length = stickyAt(monthFirst, text, start);
    if (length > 0) emit("date", start, start + length);
    return start + length;
  }
  if (shape.colon !== -1 && text.startsWith("://", shape.colon)) {
    const found = trimEnd(text, start, start + stickyAt(url, text, start), ")]}.,;:");
    if (found > start) emit("url", start, found);
    return found;
  }
  if ((first >= 48 && first <= 57) || (first < 128 ? first === 36 || first === 43 : "€£¥₹".includes(text[start]!))) {
    const next = classifyNumber(text, start, end, shape, emit);
    if (next > 0) return next;
  }
  if (length > longestChunk) return end;
  const chunk = text.slice(start, end);
  if (isKey(text, end)) return end;
  const kind = kindOfWord(chunk, shape);
  if (kind !== undefined) emit(kind, start, end);
  else if (shape.digits > 0 && (shape.upper + shape.lower === 0 || length > shape.digits + shape.lower + shape.upper)) {
    classifyInner(text, start, end, emit);
  }
  return end;
}

/** Numbers inside writing without spaces: 人均消费75元. */
function classifyInner(text: string, start: number, end: number, emit: Emit): void {
  for (let i = start + 1; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) continue;
    const shape = shapeOf(text, i, Math.min(end, i + 40));
    const next = classifyNumber(text, i, end, shape, emit);
    i = Math.max(i, next - 1);
  }
}

function classifyNumber(text: string, start: number, end: number, shape: Shape, emit: Emit): number {
  const dialled = stickyAt(phone, text, start);
  if (
    dialled >= 9 &&
    digitsIn(text, start, start + dialled) >= 7 &&
    !/^\d{4}[-.]\d{2}[-.]\d{2}/.test(text.slice(start, start + 10))
  ) {
    emit("phone", start, start + dialled);
    return start + dialled;
  }
  const bare = start + stickyAt(number, text, start);
  if (bare === start) return 0;
  suffix.lastIndex = bare;
  const found = suffix.exec(text);
  const stop = bare + (found?.[0].length ?? 0);
  // A chunk that goes on with letters is an identifier, not a number: 4WQ150, 3f2a-…
  if (stop < end && shape.lower + shape.upper > 0) return 0;
  const groups = found?.groups;
  const digits = digitsIn(text, start, stop);
  if (groups?.money !== undefined || "$€£¥₹".includes(text[start]!)) emit("money", start, stop);
  else if (found !== null) emit(groups!.date === undefined ? "number" : "date", start, stop);
  else if (digits < stop - start && /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}/.test(text.slice(start, stop))) {
    const iso = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?/.exec(
      text.slice(start, start + 40),
    );
    const length = iso?.[0].length ?? stop - start;
    emit("date", start, start + length);
    return start + length;
  } else if (digits >= 2) emit(digits >= 6 ? "identifier" : "number", start, stop);
  return stop;
}

function kindOfWord(chunk: string, shape: Shape): FactKind | undefined {
  const letters = shape.lower + shape.upper;
  if (shape.at > 0 && /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$/.test(chunk)) return "email";
  if (shape.slashes > 0) return isPath(chunk, shape) ? "path" : undefined;
  if (letters === 0) return undefined;
  if (shape.marks > 0 && extension.test(chunk)) return "path";
  if (shape.digits > 0) return chunk.length >= 3 ? "identifier" : undefined;
  if (/^[a-f]{8}-(?:[a-f]{4}-){3}[a-f]{12}$/i.test(chunk)) return "identifier";
  if (chunk.includes("_") && letters >= 3) return "symbol";
  // built-in, my-theme: words joined by hyphens name things as often as they are prose.
  if (/^[a-z]\w*(?:-[a-z0-9]\w*)+$/i.test(chunk) && chunk.length >= 5) return "symbol";
  if (shape.camel && !chunk.includes("-")) return "symbol";
  if (shape.upper >= 3 && shape.lower === 0 && chunk.length <= 12 && letters === chunk.length) return "symbol";
  if (shape.marks > 0 && /^[a-z]\w*(?:\.[a-z_]\w*)+$/i.test(chunk) && chunk.length > 5) return "symbol";
  return chunk.startsWith("@") && chunk.length > 3 ? "identifier" : undefined;
}

/** A JSON key is what makes a value readable; by itself it is no fact. */
function isKey(text: string, end: number): boolean {
  const quote = text.charCodeAt(end);
  if (quote === 92) return text[end + 1] === '"' && text[end + 2] === ":";
  return quote === 34 && (text[end + 1] === ":" || (text[end + 1] === " " && text[end + 2] === ":"));
}

function isPath(chunk: string, shape: Shape): boolean {
  if (shape.lower + shape.upper === 0) return false;
  if (/^(?:\.{0,2}\/|~\/|@)/.test(chunk)) return chunk.length > 2;
  return shape.slashes > 1 || extension.test(chunk) || shape.marks > 0;
}

function stickyAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
}

function trimEnd(text: string, start: number, end: number, marks = ".:,-"): number {
  while (end > start && marks.includes(text[end - 1]!)) end--;
  return end;
}

function digitsIn(text: string, start: number, end: number): number {
  let digits = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) digits++;
  }
  return digits;
}
