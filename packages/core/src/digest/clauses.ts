import { anyWord } from "../text/any-word.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { estimateText } from "../tokens/estimate-text.ts";
import { namesTime, newestDate, withDate, withoutDate } from "./dates.ts";
import type { FoundFact, Mention } from "./find-facts.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";
import { expectedAnswer } from "./weights.ts";

/** A sentence somebody said, whole. Cut at its joints it began with "407, 439), so `Version` can …". */
export interface Clause {
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly cost: number;
  value: number;
}

/** What each line costs beside its pieces: the mark, the message, who said it. */
export const textLead = 8;
/** What an answer to a question counts against the use of an exact thing. */
const wordWeight = 0.04;
/** And where no tools were used: "Wow Mia!" and "soul-nourishing", which look exact, crowded out what people told. */
const wordWeightInTalk = 0.15;
/** What a word of the question counts: about as much as an exact thing that is likely to be used. */
const askedWeight = 0.2;
/** "Hi!", "Okay.", "Thanks": alone such a word says nothing. */
const lone = /^[^\p{L}\p{N}]*\p{Script=Latin}{1,6}[^\p{L}\p{N}]*$/u;
/** `<instructions>` or a fence alone says nothing either: prompts made of tagged parts were told by their tags. */
const bareTag = /^(?:<\/?[\w:-]{1,60}>|`{3,9}[\w+#-]{0,30})$/;
/** More of one text is bulk. */
const mostClauses = 400;

export interface FoundClauses {
  readonly clauses: Clause[];
  /** What each value was estimated from, for `scripts/train-weights.ts`. */
  readonly features: readonly (readonly number[])[];
}

/**
 * The clauses of what people and the assistant said, each with its value: the chance that its words answer a later
 * question, and the use of the exact things in it.
 */
export function findClauses(
  sources: readonly Source[],
  mentions: readonly Mention[],
  question?: string,
  latest = (line: string) => line,
): FoundClauses {
  const clauses: Clause[] = [];
  const newest = newestDate(sources);
  sources.forEach((source, at) => {
    if (source.kind !== "text") return;
    let left = mostClauses;
    const list = source.carried ? [{ text: source.text, start: 0 }] : splitSentences(source.text);
    for (const { text, start } of list) {
      if (!/[\p{L}\p{N}]/u.test(text) || bareTag.test(text) || (lone.test(text) && !source.carried) || left-- <= 0)
        continue;
      const dated = withDate(oneLine(text), source.at, newest);
      const line = source.by === "user" ? latest(dated) : dated;
      clauses.push({ source: at, start, end: start + text.length, text: line, cost: estimateText(line) + 1, value: 0 });
    }
  });
  const features = weigh(clauses, sources, question);
  addFacts(clauses, sources, mentions);
  return { clauses, features };
}

/** A word that says something, and the clauses that have it. */
interface Term {
  readonly first: number;
  readonly asked: boolean;
  last: number;
  count: number;
}

/** What is taken up within so many clauses was talked about, not only mentioned. */
const soon = 12;
/** Words of more clauses than this are taken up soon wherever they stand. */
const mostTakenUp = 20;

function weigh(clauses: Clause[], sources: readonly Source[], question: string | undefined): number[][] {
  // Without the day behind it, which nobody said: its digits would count as rare words, and the clause for a good answer.
  const said = clauses.map(({ source, text }) => {
    const { at, carried } = sources[source]!;
    return at === undefined && !carried ? text : withoutDate(text);
  });
  const known = new Map<string, Term>();
  const asked = new Set(question === undefined ? [] : termsOf(question));
  const terms = said.map((text, index) => {
    const list: Term[] = [];
    for (const word of termsOf(text)) {
      if (stopWords.has(word)) continue;
      let term = known.get(word);
      if (term === undefined) {
        term = { first: index, last: -1, count: 0, asked: asked.has(word) };
        known.set(word, term);
      }
      if (term.last === index) continue;
      term.last = index;
      term.count++;
      list.push(term);
    }
    return list;
  });
  const user = userWeight(clauses, sources);
  const tools = sources.some(({ kind }) => kind === "call" || kind === "result");
  const weight = tools ? wordWeight : wordWeightInTalk;
  const total = clauses.length + 1;
  const rarityOf = ({ count }: Term) => Math.log(1 + total / (1 + count));
  const echoes = new Float64Array(clauses.length);
  for (let index = clauses.length - 1; index >= 0; index--) {
    for (const term of terms[index]!) {
      if (term.last > index && term.last - index <= soon && term.count <= mostTakenUp) echoes[index]! += rarityOf(term);
      term.last = index;
    }
  }
  const turns = turnsOf(clauses, sources, terms);
  return clauses.map((clause, index) => {
    let rarity = 0;
    let fresh = 0;
    let hits = 0;
    for (const term of terms[index]!) {
      rarity += rarityOf(term);
      if (term.first === index) fresh++;
      if (term.asked) hits++;
    }
    const source = sources[clause.source]!;
    const found = featuresOf(said[index]!, terms[index]!.length, rarity, fresh, echoes[index]!);
    const features = found.concat(turns[index]!).map(Number);
    const chance = expectedAnswer(features);
    const speaker = source.by === "user" ? user : 1;
    clause.value = weight * chance * speaker * (source.carried ? 1.3 : 1) + askedWeight * Math.min(3, hits);
    return features;
  });
}

const self = anyWord(
  "I|my|we|our|ich|mein\\w*|wir|unser\\w*|je|mon|ma|mes|nous|notre|yo|mi|mis|nosotros|io|mio|mia|noi|eu|meu|minha|nós|я|мой|моя|мы|наш\\p{L}*",
  "[我私僕俺]|저는|나는",
);
const other = anyWord(
  "you|your|du|dein\\w*|dich|dir|ihr|vous|votre|tu|ton|usted|tú|voi|você|ты|вы|твой|ваш\\p{L}*",
  "[你您]|あなた",
);

/** What the chance is estimated from; the order is that of `weights.ts`. In `Mia: I moved to Oslo.` Mia is who says it. */
function featuresOf(text: string, words: number, rarity: number, fresh: number, echo: number): (boolean | number)[] {
  return [
    1,
    words === 0 ? 0 : rarity / words / 5,
    Math.min(words, 10) / 5,
    /\d/.test(text),
    Math.min(3, text.match(/(?<=[a-z,] )[A-Z][a-z]+/g)?.length ?? 0),
    asks.test(text),
    /[!！]$/.test(text),
    self.test(text),
    other.test(text),
    fresh / 3,
    /["“«「]/.test(text),
    namesTime(text),
    words <= 2,
    echo / 5,
    self.test(text.replace(/^\p{L}{1,20}: /u, "").slice(0, 9)),
  ];
}

const asks = /[?？]["”)]?$/;
const asksFor = anyWord(
  "what|what's|where|when|who|which|how|why|wo|wann|wer|welche\\w?|wie|warum|quoi|quel\\w*|où|quand|qui|comment|pourquoi|qué|dónde|cuándo|quién|cuál|cómo|cosa|dove|quando|chi|quale|onde|quem|qual|o que|что|где|когда|кто|как\\p{L}*|почему|co|gdzie|kiedy|kto|jak\\p{L}*",
  "什么|哪|谁|怎|多少|何|どこ|いつ|誰|どう|なぜ|무엇|뭐|어디|언제|누구|어떻게|왜",
);

/**
 * Whether each clause begins a message, begins one that follows on a question, and is the first that says something after
 * somebody asked for a name, a place, a time or a way. Who was asked answers first of all, and people are asked later about
 * what somebody asked them before. A call in between, or a piece of an earlier digest, is no turn of a talk.
 */
function turnsOf(clauses: readonly Clause[], sources: readonly Source[], terms: readonly (readonly Term[])[]) {
  let last = -1;
  let open = 0;
  let asked = 0;
  let waits = false;
  return clauses.map(({ source, text }, index) => {
    const opens = source !== last;
    const { carried } = sources[source]!;
    if (opens) {
      open = source === last + 1 && !carried ? asked : 0;
      asked = 0;
      waits = open === 2;
      last = source;
    }
    const question = asks.test(text);
    if (question) asked = Math.max(asked, asksFor.test(text) ? 2 : 1);
    // "Thanks, Mia!" comes before the answer.
    const answers = waits && !question && !(opens && terms[index]!.length <= 2);
    if (answers) waits = false;
    return [opens && !carried, opens && open > 0, answers];
  });
}

/**
 * In a chat with an assistant the user's few words hold most of what matters; between equals both sides count the same.
 * The weight follows from the user's share of the words.
 */
function userWeight(clauses: readonly Clause[], sources: readonly Source[]): number {
  let user = 0;
  for (const clause of clauses) if (sources[clause.source]!.by === "user") user += clause.text.length;
  let all = 0;
  for (const source of sources) all += source.text.length;
  return user === 0 ? 1 : Math.min(mostUserWeight, Math.max(1, (0.5 * all) / user));
}

const mostUserWeight = 6;

/** A title says what follows; what follows may not be there. */
const titleWorth = 0.3;
const isTitle = (text: string) => /^#{1,6} |[:：]\**$/.test(text);

/**
 * Adds the use of the exact things that clauses tell. Each counts for one clause, the one that tells most for its length:
 * a sum that names three prices comes before the three places where they were first said. What a call or a result has
 * is quoted from there. Both lists are ordered by source and place.
 */
function addFacts(clauses: readonly Clause[], sources: readonly Source[], mentions: readonly Mention[]): void {
  let at = 0;
  const told = clauses.map((clause) => {
    const facts = new Set<FoundFact>();
    while (at < mentions.length && isBefore(mentions[at]!, clause)) at++;
    let end = -1;
    for (let i = at; i < mentions.length && mentions[i]!.source === clause.source; i++) {
      const mention = mentions[i]!;
      if (mention.start >= clause.end) break;
      // A name inside a longer one says nothing more.
      if (mention.end <= end) continue;
      end = mention.end;
      if (sources[mention.fact.source]!.kind === "text") facts.add(mention.fact);
    }
    return { clause, facts, rank: valueWith(clause, facts) / (clause.cost + textLead) };
  });
  const counted = new Set<FoundFact>();
  for (const { clause, facts } of told.sort((a, b) => b.rank - a.rank)) {
    clause.value = valueWith(clause, facts, counted);
    for (const fact of facts) counted.add(fact);
  }
}

function valueWith({ text, value }: Clause, facts: Iterable<FoundFact>, counted?: ReadonlySet<FoundFact>): number {
  let sum = value;
  for (const fact of facts) if (!counted?.has(fact)) sum += fact.use;
  return isTitle(text) ? sum * titleWorth : sum;
}

function isBefore(mention: Mention, { source, start }: Clause): boolean {
  return mention.source < source || (mention.source === source && mention.start < start);
}
