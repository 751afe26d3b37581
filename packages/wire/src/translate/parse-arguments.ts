import { isJsonObject } from "../neutral/json-object.ts";

/**
 * The arguments of a tool call from what a model wrote: nothing means none, text that holds JSON text is opened, words
 * around the object and constants JSON lacks are tolerated, and an object that was cut off is closed. Undefined when
 * nothing helps.
 */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return {};
  const direct = tryParse(trimmed);
  if (isJsonObject(direct)) return { ...direct };
  if (typeof direct === "string") return parseArguments(direct);
  const start = trimmed.indexOf("{");
  if (start < 0 || direct !== undefined) return undefined;
  const scanned = scanObject(trimmed, start);
  const repaired = tryParse(scanned) ?? tryParse(withoutOddities(scanned));
  return isJsonObject(repaired) ? { ...repaired } : undefined;
}

/** Arguments as JSON text that is sure to be an object. */
export function argumentText(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("{") && isJsonObject(tryParse(trimmed))) return text;
  return JSON.stringify(parseArguments(text) ?? {});
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The first object in the text, up to where it closes; what was left open at the end is closed. */
function scanObject(text: string, start: number): string {
  const open: string[] = [];
  let inString = false;
  let end = text.length;
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") {
        // An escape of which only the start arrived says nothing.
        if (at + (text[at + 1] === "u" ? 6 : 2) > end) end = at;
        at++;
      } else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if (char === "}" || char === "]") {
      open.pop();
      if (open.length === 0) return text.slice(start, at + 1);
    }
  }
  const cut = text.slice(start, end) + (inString ? '"' : "");
  return cut.replace(/[,:]\s*$/, (end) => (end.startsWith(":") ? ":null" : "")) + open.reverse().join("");
}

/** Replaces what JavaScript allows and JSON does not, outside of strings. */
function withoutOddities(text: string): string {
  return text.replace(
    /"(?:\\.|[^"\\])*"|-?\b(?:NaN|Infinity|undefined|None)\b|\bTrue\b|\bFalse\b|,\s*(?=[}\]])/g,
    (found) => {
      if (found.startsWith('"')) return found;
      if (found.startsWith(",")) return "";
      return found === "True" ? "true" : found === "False" ? "false" : "null";
    },
  );
}
