/** The tag that fences folded history; see `frame.ts`. */
export const fenceTag = "folded-history";

const tag = new RegExp(
  `<(?=/?\\s*(?:${fenceTag}|system(?:_reminder)?|user|human|assistant|developer|instructions?|tool_result|tool_use|function_calls|function_results|invoke|antml)\\b)`,
  "gi",
);
/** Characters that say something to a model and show nothing to a person: tag characters and text direction. */
const unseen = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu;
const roleLine = /^([ \t]*)(system|user|human|assistant|developer|tool|function)(?=\s*:)/gim;

/**
 * Makes text from elsewhere safe to quote: it can neither close the fence around it nor pass for another turn of the
 * conversation. Quoting what is already quoted changes nothing.
 */
export function quoteHistory(text: string): string {
  return text
    .replace(unseen, "")
    .replace(tag, () => "&lt;")
    .replaceAll("<|", "<¦")
    .replace(/<(?=\/?(?:start_of_turn|end_of_turn|bos|eos|s)>)/gi, () => "&lt;")
    .replace(/<<(\/?SYS)>>/gi, (_match, name: string) => `(${name})`)
    .replace(/\[(\/?INST)\]/gi, (_match, name: string) => `(${name})`)
    .replace(roleLine, (_match, indent: string, role: string) => `${indent}› ${role}`);
}
