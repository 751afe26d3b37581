/**
 * Lines that say something went wrong, in the words programs use for it. Wrong guesses are cheap (a line more), missed
 * ones are not (the one line that mattered), so the list is wide.
 */
const failure =
  /error|exception|\bfail(?:ed|s|ure|ures|ing)?\b|\bfatal\b|\bpanic|traceback|\bdenied\b|\brefused\b|\btimed? ?out\b|\bnot found\b|\bno such\b|\bcannot\b|\bunable to\b|\babort(?:ed)?\b|\bsegfault|segmentation fault|\bexit(?:ed)?(?: with)? ?(?:code|status)|\bexitcode\b|\bunexpected\b|\binvalid\b|[✗✘❌]|\bFAIL\b|fehler|erreur|ошибка|błąd|错误|失败|失敗|エラー|lỗi|gagal/i;
const harmless = /\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\bexit(?: ?code|ed with code|status)?:? 0\b/gi;
const longestLine = 400;

export function isErrorLine(line: string): boolean {
  if (!failure.test(line)) return false;
  return failure.test(line.replace(harmless, ""));
}

/**
 * The distinct error lines of `text` between two offsets, in order, each cut to 400 characters. Lines that differ only
 * in their digits count as one: a thousand retries are one fact.
 */
export function findErrorLines(text: string, from: number, to: number, limit = 64): string[] {
  const lines: string[] = [];
  const seen = new Set<string>();
  let start = from;
  while (start < to && lines.length < limit) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 || newline > to ? to : newline;
    const line = text.slice(start, Math.min(end, start + longestLine)).trim();
    start = end + 1;
    if (line.length < 4 || !isErrorLine(line)) continue;
    const shape = line.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#");
    if (seen.has(shape)) continue;
    seen.add(shape);
    lines.push(line);
  }
  return lines;
}
