import type { ChatRule } from "./families/family.ts";

interface Rules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
}

/** The tokens of a tool call's arguments, as the family's chat format writes them. */
export function countArguments(input: string, { count, chat }: Rules): number {
  const rule = chat.calls;
  if (rule.arguments === "text") return count(input);
  const value = parseObject(input);
  if (value === undefined) return count(input) + rule.perArgument;
  if (rule.arguments === "compact") return count(JSON.stringify(value));
  let text = "";
  let length = 0;
  for (const [key, inner] of Object.entries(value)) {
    text += `${key}\n${typeof inner === "string" ? inner : JSON.stringify(inner)}\n`;
    length++;
  }
  return count(text) + length * rule.perArgument;
}

/** The arguments as an object; free text and JSON of any other kind has none. */
function parseObject(input: string): Readonly<Record<string, unknown>> | undefined {
  if (!input.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(input) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
