import type { Message } from "../message/message.ts";
import { asks } from "../text/asks.ts";
import { containedIn } from "../text/contained-in.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { quoteBestLines } from "./best-lines.ts";
import { findChanges } from "./changes.ts";
import { type Choice, choose, costAt, makeOffer, type Offer, type Piece, singles } from "./choose.ts";
import { findClauses } from "./clauses.ts";
import type { Speaker } from "./fact.ts";
import { pathOfCall } from "./files.ts";
import { type FoundFact, findFacts, type Mention } from "./find-facts.ts";
import { fitRules, fitState, fitStory, ruleCost, ruleRoom } from "./fit-lines.ts";
import type { Frame } from "./frame.ts";
import { type DigestLines, gap, noLines, renderLines, type Section } from "./lines.ts";
import { quoteHistory } from "./quote-history.ts";
import { findRules, listMark, type Rule, withId } from "./rules.ts";
import { nameOnce, signedSides } from "./signatures.ts";
import { type Source, sourcesOf } from "./sources.ts";
import { findState, type StateLine } from "./state.ts";
import { findStory } from "./story.ts";
import { talkOf, userLines } from "./user-words.ts";
import { wholeEnds } from "./whole-end.ts";

export interface DigestOptions {
  readonly counter: TokenCounter;
  readonly maxTokens: number;
  /** The rules, the state and the user's words get shares of this size, where it is more than the room itself. */
  readonly sharesOf?: number | undefined;
  /** An earlier digest or summary (framed or bare) that these messages follow; its entries are taken up and merged. */
  readonly previous?: string;
  /** What is being asked now, where it is known: what bears on it is kept first. */
  readonly question?: string;
  /** Text that stays in the conversation anyway: what it says is not said again. */
  readonly known?: string;
  /** Place of each message in the conversation. With it entries cite their message: `m12`. */
  readonly places?: readonly number[];
  /** Whether a frame among the messages was made by us: only then its rules are rules. */
  readonly believes?: (frame: Frame) => boolean;
}

export interface DigestItem {
  readonly section: Section;
  readonly text: string;
  /** Index of the message it came from; undefined for what an earlier digest carried. */
  readonly message?: number;
  /** Who said it, or which tool, for entries of the log. */
  readonly lead?: string;
}

export interface Digest {
  /** Never over `maxTokens`; empty when there was nothing to say or no room to say it. */
  readonly text: string;
  readonly tokens: number;
  readonly items: readonly DigestItem[];
  readonly lines: DigestLines;
}

/** Below this size an entry does not cite its message, and of the state of the work only the task is told. */
const smallDigest = 300;
/** From this size on every line cites its message; below, citations in the log would cost a tenth of what can be said. */
const citingDigest = 4000;
/** From this size on calls and results are quoted by whole lines. */
const linedDigest = 500;
/** How the work went (answered, reported, mended) gets this share, up to so many tokens a larger one, in a digest of this size and more. */
const storyShare = 0.065;
const smallStoryShare = 0.08;
const storyTokens = 320;
const roomyDigest = 1500;
/**
 * In long runs with tools the chances of use differ less than the learned ones, which short runs shaped: as they are, a few
 * long quotations crowded out many short ones that were needed (75 to 81 % of what later calls needed at 5:1).
 */
const longRun = 0.7;
/** A small note on so many messages has room for little more than the work in hand: there what is newer counts more. */
const longTalk = 100;
const recency = 0.15;
/** Rules of an earlier record get at least this share, and what the user's rules leave of theirs. */
const unverifiedShare = 0.24;
/**
 * A hand-over note on a stretch of conversation, written without a model: the user's rules, the state of the work, and
 * what was said and done, word for word, chosen by how likely it is needed later. Same input, same text.
 *
 * @example const { text } = digest(messages, { counter: getCounter("gpt-4o"), maxTokens: 800 });
 */
export function digest(messages: readonly Message[], options: DigestOptions): Digest {
  const { counter, maxTokens } = options;
  if (maxTokens <= 0) return empty;
  const size = sizeOf(options);
  const small = size < smallDigest;
  const lined = size >= linedDigest;
  const roomy = size >= roomyDigest;
  const { previous, believes, places } = options;
  const {
    sources: cited,
    carried,
    messages: count,
  } = sourcesOf(messages, {
    previous,
    believes,
    places: roomy ? places : undefined,
  });
  const leads = { ...(size < citingDigest && { id: undefined }), ...(!lined && { about: undefined }) };
  const sources = size < citingDigest ? cited.map((source) => ({ ...source, ...leads })) : cited;
  const talk = talkOf(sources);
  const rules = fitRules(findRules(sources, carried.rules, talk.equals), ruleRoom(size), counter);
  const quoted = findRules([], carried.unverified);
  const ruled = rules.reduce((sum, rule) => sum + ruleCost(rule, counter), 0);
  const unverified = fitRules(quoted, Math.max(size * unverifiedShare, ruleRoom(size) - ruled), counter);
  // Two people who talk ask each other: what else they say is no request, and nobody's last words are the next step.
  const isSaid = ({ kind, text }: StateLine) =>
    !talk.equals || !(kind.startsWith("last") || (kind.startsWith("newest") && !asks(text)));
  // Where each line of the log names its file, a list of what was only read has room in large notes alone.
  const listsRead = !lined || roomy;
  const stated = findState(cited, carried.state).filter(
    (line) => isSaid(line) && (listsRead || line.kind !== "files read"),
  );
  const state = fitState(stated, size, small, counter);
  const story = roomy && !talk.equals ? fitStory(findStory(cited, carried.state), storyRoom(size), counter) : [];
  const laid = {
    rules: rules.map(withId),
    unverified: unverified.map(withId),
    state: [...state.map((line) => `${line.kind}: ${line.text}`), ...story],
  };
  // The newest request gives way to the next one: then it goes on as something the user said.
  const asked = state.find(({ kind }) => kind.startsWith("newest"))?.text ?? "";
  const askedBefore = carried.state.flatMap(
    (line) => /^newest request[^:]*: (?:.*[?？]\S* – )?(.*)/.exec(line)?.[1] ?? [],
  );
  const lasting = [options.known ?? "", ...laid.rules, ...laid.unverified, asked].join("\n");
  // A rule that has no room among the rules is still something the user said.
  const crowded = quoted.filter((rule) => !unverified.includes(rule)).map(withId);
  const saidBefore = [...crowded, ...carried.user, ...askedBefore];
  const latest = findChanges(sources, saidBefore);
  const words = small ? [] : userLines(sources, talk, saidBefore, lasting, size, counter, latest);
  const fixed = fitting({ ...laid, user: words }, maxTokens, counter);
  const { user } = fixed;
  const isList = (line: string) => line.startsWith("files ");
  const said = containedIn([lasting, ...fixed.state.filter((line) => !isList(line)), ...user].join("\n"));
  const { facts, mentions } = findFacts(sources, count, said);
  if ((roomy || count >= longTalk) && sources.some(({ kind }) => kind === "call")) {
    for (const fact of facts) fact.use = fact.use ** longRun * (roomy ? 1 : (count - fact.last) ** -recency);
  }
  const clauses = findClauses(sources, mentions, options.question, latest).clauses.filter(
    ({ text }) => !said(text.replace(listMark, "")),
  );
  // A list of files does not tell what was found in them; what was only read is quoted as if it stood in none. That one was
  // changed says no more than the list.
  const listed = containedIn(fixed.state.filter((line) => line.startsWith("files changed")).join("\n"));
  const inList = new Set(facts.filter(({ text }) => listed(text)));
  const repeats = ({ fact, source }: Mention) =>
    inList.has(fact) && sources[source]!.kind === "call" && pathOfCall(sources[source]!.text) === fact.text;
  const placed = lined
    ? quoteBestLines(
        facts,
        mentions.filter((mention) => !repeats(mention)),
        sources,
      )
    : new Set<FoundFact>();
  const offered = facts.filter((fact) => !inList.has(fact) || placed.has(fact));
  return fill(makeOffer(sources, clauses, offered, small ? 1 : 6, lined), fixed, rules, options);
}

const storyRoom = (size: number) => Math.max(size * storyShare, Math.min(size * smallStoryShare, storyTokens));

const sizeOf = ({ maxTokens, sharesOf = 0 }: DigestOptions) => Math.max(maxTokens, sharesOf);

/**
 * The shares of rules, state and user's words can add up to more than the room. Then older words of the user are left out
 * first, then lines of the state, then rules of an unknown record. Without this such a note came out empty.
 */
function fitting(fixed: Fixed, maxTokens: number, counter: TokenCounter): Fixed {
  let fitted = fixed;
  for (const section of ["user", "state", "unverified"] as const) {
    const over = () => counter.count(renderLines({ ...fitted, log: [] })) - maxTokens;
    for (let more = over(); more > 0 && fitted[section].length > 0; more = over()) {
      const lines = fitted[section];
      let gone = 0;
      while (more > 0 && gone < lines.length) more -= counter.count(lines[gone++]!);
      // The state begins with the task.
      fitted = { ...fitted, [section]: section === "state" ? lines.slice(0, -gone) : lines.slice(gone) };
    }
  }
  return fitted;
}

const empty: Digest = { text: "", tokens: 0, items: [], lines: noLines };

type Fixed = Omit<DigestLines, "log">;

const nothing: Choice = { pieces: [], cost: 0 };

/** Searches the price per token at which what is worth it just fits. Estimates are corrected by real counts. */
function fill(offer: Offer, fixed: Fixed, rules: readonly Rule[], options: DigestOptions): Digest {
  const { counter, maxTokens } = options;
  const signed = signedSides(offer.sources);
  const make = (choice: Choice) => write(offer, choice, fixed, rules, signed, options);
  let best = make(nothing);
  if (best.tokens > maxTokens) return empty;
  // A price next to nothing: all there is to say, but a quotation still ends where the next fact is far away.
  const least = 1e-9;
  if (costAt(offer, least) < maxTokens * 2.5 + 60) {
    const all = choose(offer, least);
    const whole = make(all);
    if (whole.tokens <= maxTokens) return endWhole(offer, all, whole, make, maxTokens);
  }
  let target = maxTokens - best.tokens;
  let chosen = nothing;
  for (let attempt = 0; attempt < 6; attempt++) {
    const choice = atCost(offer, target);
    const made = make(choice);
    if (made.tokens <= maxTokens && made.tokens > best.tokens) {
      best = made;
      chosen = choice;
    }
    if (best.tokens >= maxTokens * 0.97 || target < 4) break;
    const spent = Math.max(1, made.tokens - counter.count(renderLines({ ...noLines, ...fixed })));
    const room = Math.max(1, maxTokens - (made.tokens - spent));
    target *= Math.min(3, Math.max(0.3, (room / spent) * 0.985));
  }
  if (maxTokens >= largestTopUp) return endWhole(offer, chosen, best, make, maxTokens);
  // In a small digest a single entry is a large share: what still fits is added one by one.
  for (const piece of singles(offer, chosen, maxTokens - best.tokens)) {
    const more = { pieces: [...chosen.pieces, piece], cost: chosen.cost };
    const made = make(more);
    if (made.tokens > maxTokens) continue;
    best = made;
    chosen = more;
    if (best.tokens >= maxTokens - 1) break;
  }
  return endWhole(offer, chosen, best, make, maxTokens);
}

/** A note that breaks off in the middle of its last sentence reads as if it had been cut. */
function endWhole(
  offer: Offer,
  chosen: Choice,
  made: Digest,
  make: (choice: Choice) => Digest,
  maxTokens: number,
): Digest {
  for (const choice of wholeEnds(offer, chosen)) {
    const whole = make(choice);
    if (whole.tokens <= maxTokens) return whole;
  }
  return made;
}

/** Up to this size the room that the price leaves over is filled entry by entry. */
const largestTopUp = 2000;

/** The choice that costs just below `target`, by estimate. */
function atCost(offer: Offer, target: number): Choice {
  let low = 1e-7;
  let high = 1;
  let best = { price: high, cost: 0 };
  for (let step = 0; step < 18; step++) {
    const price = Math.sqrt(low * high);
    const cost = costAt(offer, price);
    if (cost > target) low = price;
    else {
      high = price;
      if (cost > best.cost) best = { price, cost };
      if (cost > target * 0.985) break;
    }
  }
  return best.cost === 0 ? nothing : choose(offer, best.price);
}

function write(
  offer: Offer,
  choice: Choice,
  fixed: Fixed,
  rules: readonly Rule[],
  signed: readonly Speaker[],
  options: DigestOptions,
): Digest {
  const { counter } = options;
  const small = sizeOf(options) < smallDigest;
  const { sources } = offer;
  const ordered = [...choice.pieces].sort((a, b) => a.source - b.source || a.start - b.start);
  // Two results that say the same are quoted once.
  const said = new Set<string>();
  const pieces = nameOnce(
    ordered.filter(({ text }) => !said.has(text) && said.add(text)),
    sources,
    signed,
  );
  const log: string[] = [];
  let previous: Piece | undefined;
  for (const piece of pieces) {
    const source = sources[piece.source]!;
    if (previous !== undefined && sameLine(sources[previous.source]!, source, small)) {
      const follows = previous.source === piece.source && source.kind === "text" && piece.start - previous.end <= 2;
      log[log.length - 1] += `${follows ? " " : gap}${piece.text}`;
    } else log.push(`${small && source.kind !== "text" ? "tool: " : leadOf(source)}${piece.text}`);
    previous = piece;
  }
  const lines: DigestLines = { ...fixed, log };
  const text = quoteHistory(renderLines(lines, small));
  const items = [
    ...rules.map(({ text, message }) => ({ section: "rules" as const, text, ...(message >= 0 && { message }) })),
    ...fixed.user.map((text) => ({ section: "user" as const, text, lead: "user" })),
    ...fixed.state.map((text) => ({ section: "state" as const, text })),
    ...pieces.map(({ source, text }) => {
      const { message } = sources[source]!;
      const lead = speakerOf(sources[source]!);
      return { section: "log" as const, text, lead, ...(message >= 0 && { message }) };
    }),
  ];
  return { text, tokens: text === "" ? 0 : counter.count(text), items, lines };
}

function speakerOf({ kind, by, name }: Pick<Source, "kind" | "by" | "name">): string {
  // Read back as words of the user, what they pasted crowded out what they said.
  if (kind === "block" && by === "user") return "pasted";
  return (kind === "text" || kind === "block") && name === undefined ? by : toolName(name);
}

function leadOf({ id, about, ...source }: Source): string {
  const who = about === undefined ? speakerOf(source) : `${speakerOf(source)} ${about}`;
  return id === undefined ? `${who}: ` : `${id} ${who}: `;
}

function toolName(name: string | undefined): string {
  // A tool of the name that marks a line of a small digest would lay down rules.
  return (name ?? "tool")
    .replace(/[^\p{L}\p{N}_.@/-]+/gu, "_")
    .slice(0, 80)
    .replace(/^(?:rules|unverified|state|task)$/, "$&_");
}

/** Pieces of one message share a line; without citations so does all that one speaker says, or one tool returns, in a row. */
function sameLine(a: Source, b: Source, small: boolean): boolean {
  return (small && a.kind !== "text" && b.kind !== "text") || leadOf(a) === leadOf(b);
}
