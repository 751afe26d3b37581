const namesAnswer = /max_(?:completion_|output_|new_)?tokens|maxOutputTokens|maximum tokens you requested/i;
/** What else such a sentence may be about: how it has to be streamed, or how much of the answer may be thinking. */
const meansOther = /stream|budget_tokens/i;

const n = "[`'\"]?(\\d[\\d,]*)";
/** How servers write the largest answer they give, in the order in which they are looked for. */
const limits: readonly RegExp[] = [
  new RegExp(`\\d\\s*>\\s*${n}, which is the maximum`, "i"),
  new RegExp(`(?:at most|cannot exceed|less than or equal to|model limit of|<=)\\s*${n}`, "i"),
  new RegExp(`\\[\\d+,\\s*${n}\\]`, "i"),
];
const exclusive = new RegExp(`to ${n}\\s*\\(exclusive\\)`, "i");

/** The largest limit on an answer that a server accepts, where it refuses a request because that asked for more. */
export function detectAnswerLimit(message: string): number | undefined {
  if (!namesAnswer.test(message) || meansOther.test(message)) return undefined;
  const open = exclusive.exec(message)?.[1];
  const found = open ?? limits.map((limit) => limit.exec(message)?.[1]).find((digits) => digits !== undefined);
  if (found === undefined) return undefined;
  const limit = Number(found.replaceAll(",", "")) - (open === undefined ? 0 : 1);
  return limit > 0 ? limit : undefined;
}
