/** A rule that was said again in longer or shorter words: how far two sentences say the same. */
const fillers = new Set(
  "please really just also again actually absolutely definitely still and but so yes ok".split(" "),
);
/** What makes a longer sentence say something else: "Run the tests" and "If you change the parser, run the tests" both stand. */
const turns = new Set(
  (
    "if when whenever unless except without only before after until while once but not never no wenn falls sobald bevor nur nicht nie " +
    "außer ohne si quand avant sauf sans ne pas seulement cuando antes salvo sin no solo se quando prima tranne senza non " +
    "antes exceto sem não apenas jeśli gdy zanim oprócz bez nie tylko если когда прежде кроме без не только"
  ).split(" "),
);
/** Words that may be left out when something is said again. */
const mostLess = 3;
const leastWords = 3;

/**
 * Of sentences that say the same the newest, in their order: a user who said eight times that they want no transfer, each
 * time in other words, had half of the note filled with it. One that an older one contains is left where the older one
 * says more.
 */
export function sayOnce<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const all = items.map((item) => wordsOf(textOf(item)));
  const having = new Map<string, number[]>();
  all.forEach((words, at) => {
    for (const pair of new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))) {
      const list = having.get(pair);
      if (list === undefined) having.set(pair, [at]);
      else list.push(at);
    }
  });
  const gone = new Set<number>();
  all.forEach((words, at) => {
    if (words.length < leastWords) return;
    for (const other of having.get(`${words[0]} ${words[1]}`) ?? []) {
      if (other === at) continue;
      const more = restOf(all[other]!, words);
      if (more === undefined || more.some((word) => turns.has(word))) continue;
      if (at < other) gone.add(at);
      else if (more.length <= mostLess) gone.add(other);
    }
  });
  return items.filter((_, at) => !gone.has(at));
}

function wordsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replace(/’/g, "'")
      .match(/[\p{L}\p{N}][\p{L}\p{N}'_./#-]*/gu) ?? [];
  return words
    .map((word) => word.replace(/\W+$/, (end) => (/\p{L}/u.test(end) ? end : "")))
    .filter((word) => !fillers.has(word));
}

/** The words that `long` has beside `short`, where it contains it. */
function restOf(long: readonly string[], short: readonly string[]): readonly string[] | undefined {
  for (let start = 0; start + short.length <= long.length; start++) {
    if (short.every((word, at) => long[start + at] === word))
      return [...long.slice(0, start), ...long.slice(start + short.length)];
  }
  return undefined;
}
