import { anyWord } from "../text/any-word.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";

/**
 * Does a sentence of the user bind what happens later? Recognised by the words people use to bind, in fifteen
 * languages. "Strong" words leave no choice (must, never, only); English ones also have to stand in the right place.
 */
const strongest = anyWord(
  [
    "must(?:n't| not| never| always)|under no circumstances|forbidden",
    // What takes a rule back binds as the rule did.
    "no longer (?:holds|applies|valid|necessary)|forget (?:what i|the rule|my)|scratch that|disregard|i take (?:it|that) back|changed my mind(?=[^.!]*\\w)",
  ].join("|"),
);
const strongEnglish = anyWord(
  // "Required by the schema" and "the required fields" tell what is, "I do nothing and it hangs" what happened.
  "shall not|should (?:never|always)|not allowed|no (?:more|less) than|(?:is|are|be) required(?! by )|mandatory|strictly|(?<!\\bi )do nothing|keep in mind|remember (?:to|that)",
);
const strong = anyWord(
  [
    "m[uü]ss(?:en|t)?|d(?:arf|ürfen|arfst) nicht|niemals|nie|immer|nur|unbedingt|keine?n?",
    "verboten|mindestens|höchstens|maximal|stets|ausschließlich|zwingend|soll(?:st)?",
    "doit|doivent|dois|devez|il faut|jamais|toujours|uniquement|seulement|n'utilise|interdit|obligatoire|au moins|au plus",
    "surtout pas|impérativement|sans",
    "debe[sn]?|debo|nunca|jamás|siempre|s[oó]lo|solamente|únicamente|hay que|obligatorio|prohibido|tienes? que",
    "al menos|como máximo|sin(?!\\()",
    "devem?|devo|sempre|apenas|somente|obrigatório|proibido|mai|devi|devono|soltanto|bisogna|vietato",
    "должен|должн[аы]|нужно|надо|необходимо|никогда|всегда|нельзя|только|обязательно|запрещено|минимум|максимум",
    "phải|không được|luôn|đừng|chỉ|bắt buộc|tuyệt đối|không bao giờ|cấm|ít nhất|tối đa",
    "harus|jangan|selalu|hanya|wajib|tidak boleh|tidak pernah|dilarang|(?:minimal|maksimal)(?= \\d)|pastikan",
    "musi|musisz|muszą|nigdy|zawsze|tylko|koniecznie|należy|zabronione|co najmniej|maksymalnie|wyłącznie",
    "gilt nicht mehr|ne s'applique plus|ya no vale|non vale più|já não vale|больше не действует",
    "moet(?:en)?|nooit|altijd|alleen|måste|aldrig|alltid|endast|asla|her zaman|sadece|zorunlu",
  ].join("|"),
);
const unspaced =
  /不(?:再适用|[可得准許]|超过)|取り消|必[须需須ず]|(?<!要)不要(?!紧)|(?<!能)不能|务必|一定要|只能|只要(?!.*就(?:可以|行|好))|禁[止じ]|千万|请勿|最多|至少|总是|始终|从不|切勿|ないで|ては(?:いけ|なら)|なければなら|のみ|だけ|絶対|常に|決して|해야|하지 ?마|절대|항상|반드시|금지|ต้อง|ห้าม|يجب|لا ت|أبدا|دائما|فقط|חייב|אסור|हमेशा|कभी नहीं|केवल|मत /;

/** An order in English. "Always been curious" and "never saw it" tell something, as does "it reminds me to never give up". */
const order =
  "(?:(?:never|always) (?!(?:been|had|was|saw|gets?|up|good|great|fun|happy|here|full|an?|the)\\b|(?!embed|feed|need|proceed|exceed|bring)\\w+(?:ed|ing)\\b)|(?:do not|don't|dont) (?!think|feel|know|agree|believe|care)|only (?!(?:way|thing|reason|problem)\\b)|(?:avoid|make sure|ensure|must) )\\w";
/** "We work to ensure that" says why something is done, "you need to ensure that" lays it down. */
const told = "\\b(?:you|please|want|need|needs|have|has|like|prefer|remember|sure|careful|important)";

/**
 * What binds between equals: an order that opens its sentence. "We need to do more", "they can't hear us" and "so I always
 * ask" bind whoever works for somebody; friends and colleagues who talk tell and advise each other so all day long.
 */
const between = new RegExp(
  "^(?:[^:]{1,40}: )?(?:(?:please|also|and|but|so|then|ok|okay|well|yes|no),? )*" +
    `(?:(?!(?:do not|don't|dont)(?: ever)? (?:forget|give up|quit|hesitate|be (?:afraid|shy|too|so))|only (?:an?|the|in|if|when|for|to|one|because|that|they|i|we|you|he|she|it)\\b)${order}` +
    "|you (?:must|shall|may only|can only|should (?:not|never|always|only)|shouldn't) |(?:i (?:do not|don't|wouldn't|would not) want|(?:i|we) (?:do not|don't|won't|will not) (?:accept|pay|allow)) |unless i " +
    "|(?:do|write|use|answer|tell|give|make|keep|go|show|add)\\b.* (?:without|except|unless|instead of) \\w)",
  "i",
);

/** "The output is written without a lock" says how something is. */
const notTold = "(?!(?:[^ ,;:]+ ){1,4}(?:is|are|was|were) (?!to\\b|.*should))";

/** English binds by where a word stands: "Never do that" does, "I never did that" and "This works without it" do not. */
const english = new RegExp(
  [
    `(?:^|[.,;:!–—-]\\s+|\\b(?:and|but|so|please|also|then|that) |${told} to )(?:please )?${order}`,
    "\\b(?:you|they|this|that|the \\w+|all|every \\w+|each \\w+|everything|nothing|code|files?|tests?|i|we|it) (?:\\w+ly |also |still )?(?:must|shall|(?:can|will|may|should) only|should(?: not|n't))\\b",
    // What they cannot do is told of others.
    "\\b(?:you|this|the \\w+|all|every \\w+|each \\w+|everything|nothing|code|files?|tests?) (?:\\w+ly |also |still )?(?:can(?: ?no|')t|need to)\\b",
    "\\b(?:i|we) (?:\\w+ly )?(?:do not|don't|can(?:no|')t|won't|wouldn't|will not|would not) (?:want|need|accept|like|pay|exceed|afford|agree|allow)\\b",
    "^no (?!worries|thanks|plans|kids|problems|doubts?|signs|ideas|regrets|hard)\\w+s\\W*$",
    "^(?:write|use|keep) .* with (?:minimal|no) \\w",
    "\\bonly (?:use|accept|fly|pay|if|when|want|need|after|before|to)\\b",
    `^(?!(?:\\w+, |(?:so|and|but|well|h+m+) )?(?:(?:i|we)(?! (?:need|want))|it|th\\w+|an?|all|if|as|since|when(?=.*, (?:it|i|they)\\b))\\b)${notTold}.*\\b(?:without|unless|except|instead of) \\w`,
  ].join("|"),
  "i",
);
/** What holds from now on, however it is put. */
const standing =
  /^(?:please )?(?:from now on|going forward|in future|as a rule|for the rest of|no longer|(?:whenever|every time|each time)(?!.*, (?:i(?! (?:want|need|expect|prefer))|it|he|she|they|we)\b)|at all times|by default|remember|note)[,: ]+(?=\p{L})|^no (?!.*:\W*$)(?!(?:it|this|that|he|she|they|we|you|i|no|not|but|just|the)\b|problem|worries|idea|thanks|thank|wait|need|one\b|luck|concern|rush)[a-z`'"][^?]{8,}$|^(?:i|we) (?:strongly |really |always |would )?prefer\b|^(?:ab sofort|ab jetzt|in zukunft|künftig|da ora in poi|d'ora in poi|in futuro|à partir de maintenant|désormais|dorénavant|a partir de ahora|de ahora en adelante|de agora em diante|a partir de agora|с этого момента|отныне|впредь|od teraz|từ giờ|từ nay|mulai sekarang)(?!\p{L})|^(?:从现在起|今后|以后|今後は|これからは)/iu;
/** Conditions with an order behind the comma, preferences, limits, and what is to stay as it is. */
const terms = new RegExp(
  [
    "^(?:if|when|whenever|before|once|should) [^,?]{3,90}, (?:please |then |first )*(?:stop|ask|tell|keep|mark|use|do|don't|bump|add|run|write|leave|skip|call|warn|open|put|make|move|work|check|wait|update|report)\\b",
    "^(?:wenn|falls|bevor|sobald|ehe|si|avant (?:de|que)|quand|cuando|antes de|se|quando|prima di|jeśli|gdy|zanim|если|когда|прежде чем) [^,?]{3,90}, ?(?:\\p{L}+ )?(?:frag|sag|nimm|stopp|warte|lass|demande|arrête|utilise|dis|preg[uú]nta|usa|par[ae]|dime|chiedi|fermati|pergunte|avise|zapytaj|użyj|спроси|используй|скажи|остановись)",
    "^(?:i'd|i would|we'd|we would) rather\\b|^mir (?:ist|sind|wäre|wären) .{2,80} lieber|^(?:je préfère|prefie?ro|preferisco|wolę|лучше|ich bevorzuge|wir bevorzugen)(?= )",
    "^ask (?:me|us) (?:before|first)|^(?:maximum|max\\.?|minimum|min\\.?|au (?:maximum|plus)|al (?:massimo|minimo)|a lo sumo|no máximo|najwyżej|не (?:больше|более|меньше)|höchstens) .{0,60}\\d|\\b(?:stays?|keep|remains?) (?:under|below|within|at most|no longer than) .{0,20}\\d|\\b(?:is|are) (?:at most|no longer than) .{0,20}\\d|\\bmay not exceed\\b|\\b(?:length|size|limit|maximum) is \\d",
    "\\b(?:at least|at most|(?:should|want|need|would like|i'd like|prefer|budget|limit)\\b.*\\b(?:less than|more than|under|below|up to|within|maximum|minimum|before|after|by)) (?:of )?[$€£¥]?\\d",
    "^(?:please )?(?:keep|leave) .{2,80}(?:as (?:it|they) (?:is|are)|as is|alone|unchanged|untouched|stable|to me)\\b|^lass .{2,80} (?:so|wie|in ruhe)|^laisse .{2,80} tel|^deja .{2,80} (?:tal|como)|^lascia .{2,80} (?:così|com)|^deixe .{2,80} como|^zostaw .{2,80} (?:tak|jak)|^оставь .{2,80} как",
    "^(?:please )?(?:use|run|write|put|add|name|log|wrap|test|check|format|prefer|return|nimm|verwende|benutze|utilise|usa|używaj|используй|запускай)(?!\\p{L}).{2,90}(?<!\\p{L})(?:every|each|all new|any new|everywhere|jede[nrms]?|neue[nrms]?|tout(?:e|es)?|chaque|cada|ogni|todo|toda|każd\\p{L}+|кажд\\p{L}+)(?!\\p{L})",
    // How answers are to be: "Answer in German.", "Keep your answers under 100 words.", "Stop using emojis.", "Call me Sam."
    "^(?:please )?(?:only )?(?:answer|reply|respond|write|comment|speak)(?: \\w+){0,3} in (?:only )?(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|korean|one|two|three|short|plain|bullet)\\b",
    "^(?:please )?(?:keep (?:your|all|it|answers|replies|responses)(?: \\w+){0,3} (?:short|brief|concise|(?:under|below|within|to) (?:\\w+ ){0,2}\\d)|stop (?:using|adding|writing|asking|calling|changing|removing) \\w|call me \\p{L}+\\W*$)",
    "^(?:bitte )?antworte(?:n sie)?(?!\\p{L}).{0,20} auf |^(?:réponds|répondez|responde|responda|rispondi|rispondete)(?: \\p{L}+){0,3} (?:en|in|em) \\p{L}",
    "^(?:żadnych|никаких|nada de|niente|pas d[e'] ?|nenhuma?|aucune?) ",
  ].join("|"),
  "iu",
);
const unspacedTerms =
  /用.{1,4}(?:回答|回复|回覆)|語で(?:答え|回答|返)|[\d一二三四五六七八九十百千万兩两几]\s*(?:个?[字词]|文字|単語|[語文行句段页頁条點点]|つ|個|件|回).{0,4}以[内上下]|(?:控制|保持|限)[^，。]{1,16}以[内上下]|^如果.{2,60}[，,].{0,4}(?:问|告诉|停|使用|不)|更喜欢|一律|不许|原样|(?:方が|ほうが)好き|最大\s*\d|しないこと|そのまま|たら、.{0,20}(?:聞|止|教え|使)/u;
/** Plain negation opens a clause: an order not to, in languages that have no "do not". Two more words must follow. */
const negated =
  /(?:^|[,;:.–—-]\s*|(?:bitte|por favor|merci de|please) )(?:(?:não|ne|не|nie|không|niet|tidak)\s|n')\p{L}{3,}\s+\p{L}|^(?:por favor,? )?non? \p{L}{3,}.*(?<!\p{L})(?:el|la|los|las|de|del|en|un|una|que|il|lo|le|di|con|per)(?!\p{L})|\bnicht\b.{0,60}(?:en|e|!|\.)$/iu;
/**
 * A log line, a row of JSON, a line of a diff, code or a path with a line number: output that somebody pasted. An entry of
 * a list (`- Never …`) is not: that is how people write down rules.
 */
export function looksPasted(line: string): boolean {
  // What it is shows early; the engine notes each letter on its stack, which millions of them overflow.
  const start = line.slice(0, 9999);
  return pastedStart.test(start) || /\\n|[{}]|=>|\(use "git |\.\w{1,5}:\d+(?::\d+)?\b|;\s*(?:\/\/|$)/.test(start);
}

const pastedStart =
  /^(?:\s*(?:\w*Error\b|at |[>$#] )|[^\p{L}\p{N}]*\d{4}-\d\d-\d\d[T ]|(?:ERROR|WARN|INFO|DEBUG)\b|\+[ \p{L}<#_*`]|- (?:\s|.*(?:\w\(|\w = )|(?:import|return|const|let|var|def|func|fn|class|export) )|(?:---|\+\+\+|@@) |diff --git |index [0-9a-f]{7}|`[^`]+`$)/u;

/**
 * Whether a line has words of the user: not what a client writes into their messages (`[Request interrupted by user]`,
 * `<command-name>…`), nor output of a program that they pasted, which opens with a date and time or an emoji, or ends in a
 * count of steps, `[1/2]`.
 */
export function isOwn(line: string): boolean {
  return (
    !looksPasted(line) &&
    /\p{L}{2}/u.test(line) &&
    !/^\[[^\]]{0,9999}\]$|^<\/?[a-z][\w-]*[ />]|^\[?\d+[/-]\d+[/-]\d+ \d+:\d\d|^\p{Extended_Pictographic}|\[\d+\/\d+\]$/iu.test(
      line,
    )
  );
}

/** A diff from its first line to its last: somebody else's words. At most so many lines at once, for the engine's stack. */
export const diffs = /diff --git .*(?:\n(?:[-+@\\ ]|index |\w+ (?:file|mode|index|from|to) |Binary |$).*){0,9999}/gm;

/** What people say of themselves or of the past with the same words binds nobody; nor does what a client writes itself. */
const musing =
  /^(?:[^ ,;:]+ ){1,8}(?:is|are|was|were) .*, (?:never|always) (?:in|on|at|from|for|by|with)\b|\b(?:and|that|which|it) (?:only|never|always) \w+[^\Ws]s\b|^i'll [^,;]*? and make sure\b|\b(i|we|they|you|he|she)(?: \w+)? (?:don't|do not|can't|cannot|can not|couldn't) (?:\w+ )?(?:know|think|see|understand|remember|mind|recall|believe|find|get|tell|figure|have|wait|imagine|help but|blame)\b|\bmust(?: have|'ve| be| love| know| feel| think| admit| say| enjoy| really)\b|\b(?:just |only )?want(?:ed)? to (?:make sure|be sure|know|see|check|confirm|understand)\b|\b(?:don't|do not) (?:worry|last|know|mention)\b|\bno (?:problem|worries|idea|thanks|thank you)\b|\bnever,? mind\b|^no, (?:i )?don't like\b|\bdon't (?:want|need) (?:th\w+|it)(?: \w+)?\W*$|\b(?:without|not only|only)(?: \w+)? (?:them|him|her|you|me|us|fear|doubt)\b|\b(?:thanks|thank you|sorry)\b[^.!]*$|^please continue the conversation from where .*$|^\w+ (?:required|forbidden)\W*$/gi;

/** Small words by which English is told from the languages whose binding words look like English ones (sin, solo, mai). */
const englishWords =
  /(?<!\p{L})(?:the|is|are|was|of|to|and|you|your|this|that|it|its|for|with|on|we|do|does|don't|be|as|at|from|have|has|please|i|i'm|an?|use|all|any|not|if|when|they|my|our|or)(?![\p{L}'])/giu;

/** Whether a sentence binds. Questions bind nobody; equals bind each other only by orders. */
export function isRule(sentence: string, equals = false): boolean {
  // Who muses stays: "I don't see any icons except the battery" would be left as an order about any icons.
  const plain = sentence.slice(0, 400).replace(/’/g, "'").replace(musing, "$1");
  return !looksPasted(plain) && !/[?？]\s*$/.test(plain) && binds(plain, equals);
}

function binds(sentence: string, equals: boolean): boolean {
  if (strongest.test(sentence) || unspaced.test(sentence)) return true;
  // "For the parser: leave its tests as they are."
  const order = sentence.replace(/^[^:]{1,80}: /, "");
  if (terms.test(sentence) || terms.test(order) || unspacedTerms.test(sentence)) return true;
  if (equals ? between.test(sentence) : strongEnglish.test(sentence) || english.test(sentence)) return true;
  const words = sentence.match(englishWords)?.length ?? 0;
  if (words >= 2 || (words === 1 && sentence.length < 30)) return standing.test(sentence);
  return strong.test(sentence) || negated.test(sentence) || standing.test(sentence);
}

/** A rule of the user, as it was said. */
export interface Rule {
  readonly text: string;
  readonly id: string | undefined;
  /** Index of its message; -1 when an earlier digest carried it. */
  readonly message: number;
}

/** Longer sentences are paragraphs; nobody binds by them. */
const longestRule = 300;

/**
 * What the user laid down, in order, each once: rules that earlier digests carry, sentences of the user that bind, and
 * the instructions that a client puts into the user's messages (project files, reminders). What tools, files and the
 * assistant say never becomes a rule.
 */
export function findRules(sources: readonly Source[], carried: readonly string[], equals = false): Rule[] {
  const rules = new Map<string, Rule>();
  for (const line of carried) {
    const { id, text } = readId(line);
    rules.set(text, { text, id, message: -1 });
  }
  for (const source of sources) {
    if (source.kind !== "text" || source.by !== "user" || source.carried) continue;
    for (const text of bindingSentences(source.text, equals)) {
      if (!rules.has(text)) rules.set(text, { text, id: source.id, message: source.message });
    }
  }
  return [...rules.values()];
}

/**
 * The sentences of a user's text that bind, each on one line, without the mark of the list they may stand in. Under a
 * title such as "Rules:" every entry of the list binds, however it is put.
 */
export function bindingSentences(text: string, equals = false): string[] {
  const rules: string[] = [];
  let title = "";
  for (const line of text.replace(diffs, "").split("\n")) {
    if (line.trim() === "") continue;
    const mark = listMark.exec(line);
    if (mark === null && !(title !== "" && /^\s/.test(line))) title = ruleTitle.test(line) ? line : "";
    if (mark !== null && looksPasted(line.trim())) continue;
    const listed = title !== "" && title !== line;
    const announces = title === line && /[:：]\**\s*$/.test(line);
    // "Never:" and "- commit to main" say the opposite when they are torn apart.
    const lead = listed && turningTitle.test(title) ? `${oneLine(title)} ` : "";
    for (const { text: sentence } of splitSentences(line)) {
      const rule = oneLine(sentence)
        .replace(/^#{1,6} /, "")
        .replace(listMark, "");
      if (rule.length < (listed ? 3 : 6) || rule.length > longestRule) continue;
      // Words in bold bind as plain ones do.
      if (listed || (!announces && isRule(rule.replace(/\*\*|__/g, ""), equals))) rules.push(`${lead}${rule}`);
    }
  }
  return rules;
}

/** `- `, `* `, `• `, `1. `, `2) `, `(a) `, and the box of a check list. */
export const listMark = /^\s*(?:[-*•‣◦–] |\d{1,3}[.)] |\([\da-z]{1,2}\) )(?:\[[ xX]\] )?/;
/** Titles that change what their entries say. */
const turning = "never|avoid|don['’]?ts?|do not|niemals|nie|vermeide|jamais|nunca|mai|никогда|nigdy";
const turningTitle = anyWord(turning, "不要|禁止");
/** A line that says that a list of rules follows: it ends in a colon, or is a heading. */
const ruleTitle = new RegExp(
  "^(?=.{3,90}$)(?=#|\\*\\*[^*]+\\*\\*[:：]?\\s*$|.*[:：]\\**\\s*$)(?!.*[?？])" +
    `.*(?:(?<!\\p{L})(?:${turning}|rules?|constraints?|conventions?|guidelines?|preferences?|remember|always|regeln?` +
    "|règles?|reglas?|regole|regras?|правила|zasady)(?!\\p{L})|规则|规范|不要|禁止|ルール|規約|규칙)",
  "iu",
);

/** A rule, or anything else that was said, as a line of a digest, and back. */
export function withId({ text, id }: Pick<Rule, "text" | "id">): string {
  return id === undefined ? text : `${text} [${id}]`;
}

export function readId(line: string): { text: string; id: string | undefined } {
  const cited = / \[(m\d{1,7})\]$/.exec(line);
  return cited === null ? { text: line, id: undefined } : { text: line.slice(0, cited.index), id: cited[1] };
}
