/**
 * A short mark that follows from the content alone, so that the same text always gets the same bytes, and that nothing
 * inside the text can have foreseen. Two 32-bit FNV-1a runs with different starts; not for secrets.
 */
export function nonceOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + (i & 0xff)), 0x85ebca6b);
    b ^= b >>> 13;
  }
  return hex(a) + hex(b).slice(0, 4);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
