/** Words without which a sentence says the same. */
const fillers = new Set(
  "please really just also again actually absolutely definitely still and but so yes ok".split(" "),
);
/** What makes a longer sentence say something else: "Run the tests" and "If you change the parser, run the tests" both stand. */
const turns = new Set(
  (
    "if when whenever unless except without only before after until while once not never no wenn falls sobald bevor nur nicht " +
    "nie außer ohne si quand avant sauf sans ne pas seulement cuando antes salvo sin solo se quando prima tranne senza non " +
    "exceto sem não apenas jeśli gdy zanim oprócz bez tylko если когда прежде кроме без не только"
  ).split(" "),
);
/** So many words may be missing where something is said again. */
const mostLess = 3;
/** Shorter ones stand in too many others. */
const leastWords = 3;

/**
 * Of sentences that say the same the newest, in their order: who says again and again that they want no transfer, a word
 * more or less each time, filled half of a small note. An older one that says more stays.
 */
export function sayOnce<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const all = items.map((item) => wordsOf(textOf(item)));
  const having = new Map<string, number[]>();
  all.forEach((words, at) => {
    for (const pair of new Set(pairsOf(words))) {
      const list = having.get(pair);
      if (list === undefined) having.set(pair, [at]);
      else list.push(at);
    }
  });
  const gone = new Set<number>();
  all.forEach((words, at) => {
    if (words.length < leastWords) return;
    // Where its rarest words stand: a thousand sentences that begin alike are not compared each with each.
    const lists = pairsOf(words).map((pair) => having.get(pair)!);
    for (const other of lists.reduce((least, list) => (list.length < least.length ? list : least))) {
      const more = other === at ? undefined : restOf(all[other]!, words);
      if (more === undefined || more.some((word) => turns.has(word))) continue;
      if (at < other) gone.add(at);
      else if (more.length <= mostLess) gone.add(other);
    }
  });
  return items.filter((_, at) => !gone.has(at));
}

/** What is longer was no sentence: it stands as it is, and finding its words could take long. */
const longest = 400;

function wordsOf(text: string): string[] {
  if (text.length > longest) return [];
  const words =
    text
      .toLowerCase()
      .replace(/’/g, "'")
      .match(/[\p{L}\p{N}_'./@#-]*[\p{L}\p{N}]/gu) ?? [];
  return words.filter((word) => !fillers.has(word));
}

const pairsOf = (words: readonly string[]) => words.slice(1).map((word, at) => `${words[at]} ${word}`);

/** The words that `long` has beside `short`, where it contains it. */
function restOf(long: readonly string[], short: readonly string[]): readonly string[] | undefined {
  for (let start = 0; start + short.length <= long.length; start++) {
    if (short.every((word, at) => long[start + at] === word))
      return [...long.slice(0, start), ...long.slice(start + short.length)];
  }
  return undefined;
}
