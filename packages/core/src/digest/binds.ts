import { anyWord } from "../text/any-word.ts";

/**
 * Does a sentence of the user bind what happens later? Recognised by the words people use to bind, in fifteen
 * languages. "Strong" words leave no choice (must, never, only); English ones also have to stand in the right place.
 */
const strongest = anyWord(
  [
    "must(?:n't| not| never| always)|under no circumstances|forbidden",
    // What takes a rule back binds as the rule did.
    "no longer (?:holds|applies|valid|necessary)|forget (?:what i|the rule|my(?! troubles| worries))|scratch that|(?<!\\b(?:i|i'll|can|should|could|to) )disregard|i take (?:it|that) back|changed my mind(?=[^.!]*\\w)",
  ].join("|"),
);
const strongEnglish = anyWord(
  // "Required by the schema" and "the required fields" tell what is, "I do nothing and it hangs" what happened.
  "shall not|should (?:never|always)|not allowed|no (?:more|less) than|(?:is|are|be) required(?! by )|mandatory|(?<!it's )strictly|(?<!\\bi )do nothing|(?<!\\bi(?:'ll| will) )keep in mind|(?<!\\b(?:i|we|they|he|she)(?: \\w{1,10})? )remember (?:to|that)",
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
  "(?:(?:never|always) (?!(?:been|had|was|saw|heard|thought|knew|felt|made|went|took|gets?|love|up|there|by your|good|great|fun|happy|here|full|an?|the)\\b|(?!embed|feed|need|proceed|exceed|bring)\\w+(?:ed|ing)\\b)|(?:do not|don't|dont) (?!think|feel|know|agree|believe|care|want(?! any| you)|need(?! any)|remember\\b|recall|really (?:want|need|know|like|see|get|have)|mind\\b)|only (?!(?:way|thing|reason|problem)\\b)|(?:avoid|make sure|ensure|must) ) ?\\w";
/** "We work to ensure that" says why something is done, "you need to ensure that" lays it down. */
const told = "\\b(?:you|please|want|need|needs|have|has|like|prefer|remember|sure|careful|important)";

/** "I don't want to lose my money" tells of fears; "I don't want to change the flights" says what is to stay. */
const myself =
  "(?:lose(?! any| data)|miss|risk|guess|give|hurt|bother|sit|wait|have to|deal|make (?:a|things)|waste|worry|take any|mess|feel|sound|seem|come across|be (?:the|left|stuck|late|alone)|talk about|share|say|tell|read|type|retype|spell|get|go (?:to|through)|this|surprises?|any (?:surprise|trouble|hassle))\\b";

/**
 * What binds between equals: an order that opens its sentence. "We need to do more", "they can't hear us" and "so I always
 * ask" bind whoever works for somebody; friends and colleagues who talk tell and advise each other so all day long.
 */
const between = new RegExp(
  "^(?:[^:]{1,40}: )?(?:(?:please|also|and|but|so|then|ok|okay|well|yes|no),? )*" +
    `(?:(?!(?:do not|don't|dont)(?: ever)? (?:forget|give up|quit|hesitate|be (?:afraid|shy|too|so))|only (?:an?|the|in|if|when|for|to|one|because|that|they|i|we|you|he|she|it)\\b)${order}` +
    `|you (?:must|shall|may only|can only|should (?:not|never|always|only)|shouldn't) |(?:i (?:do not|don't|wouldn't|would not) want(?! (?:to )?${myself})|(?:i|we) (?:do not|don't|won't|will not) (?:accept|pay|allow)) |unless i ` +
    "|(?:do|write|use|answer|tell|give|make|keep|go|show|add)\\b.* (?:without|except|unless|instead of) \\w)",
  "i",
);

/** "The output is written without a lock" says how something is. */
const notTold = "(?!(?:[^ ,;:]+ ){1,4}(?:is|are|was|were) (?!to\\b|.*should))";

/** What an English sentence may open with before it says who does something. */
const opening =
  "(?:[^:]{1,40}: )?(?:(?:after that|that way|you know what|oh|or|so|and|but|plus|well|now|h+m+),? |\\w+, )?(?:\\w+, )?";
/**
 * What stands behind "if", "since" and "I understand that" says how things are: "since you can't remove it", "if you need to
 * verify me". What the user does binds nobody either: "I need to make sure that I am ready".
 */
const said = new RegExp(
  [
    "\\b(?:if|unless|whether|since|because|as|given|until|once|when|what|whatever|why|how|info\\w*|details?|(?:any|every)thing|feeling|(?:i|we)(?:'ve|'ll| \\w+)? (?:understand|accept|get|get it|know|see|mean)|i get it)(?: (?:that|else|but))?(?:,| -| —)? (?:you|i|we|they|it|this|that|the [^,;:.—–]{1,40}?) (?:\\w+ly |still |also )?(?:can(?: ?no|')t|can only|need to)\\b",
    "^(?:and |but |so |yes,? )?i(?:'ll)? (?:\\w+ )?(?:understand|realize|accept that|know that) (?:(?!, (?:so|but|and|please|don't|do not|never|always|just|only|keep|leave|use)\\b)[^;:—–.]){1,200}",
    "\\b(?:if|unless|whether|since|because|why|when) (?:you|i|we|they|it|this|that|the [^,;:.—–]{1,40}?) should(?: not|n't)\\b",
    "\\b(?:if|unless|whether|which|what)\\b[^,;:.—–]{0,60}\\b(?:required|mandatory|not allowed)\\b",
    "\\bi(?:'ll|'d| will| would)?(?: (?:also|just|definitely|only|really|still|have|need|want|like))*(?: to)?(?: \\w+ly)? (?:make sure|ensure)\\b",
    "\\bi(?:'\\w+)? (?:(?!you (?:to|can|should|must|need)\\b|want\\b|need\\b|don't\\b|do not\\b)[^,;:.—–]){1,80} and (?:make sure|ensure|never|always|avoid)\\b(?! (?:want|need|expect))",
    "\\bmake sure (?:that )?i(?:'m|'ve| (?:am|do|don't|understand|know|stay|stick|meet))\\b",
    "\\bi shouldn't (?:have to|need|wait|be)\\b",
  ].join("|"),
  "gi",
);

/** English binds by where a word stands: "Never do that" does, "I never did that" and "This works without it" do not. */
const english = new RegExp(
  [
    `(?:^|[.,;:!–—-]\\s+|\\b(?:and|but|so|please|also|then|that(?! only\\b)) |${told} to )(?:please )?${order}`,
    "\\b(?:you|they|this|that|the \\w+|all|every \\w+|each \\w+|everything|nothing|code|files?|tests?|i|we|it) (?:\\w+ly |also |still )?(?:must|shall|(?:can|will|may|should) only|should(?: not|n't))\\b",
    // What they cannot do is told of others.
    "\\b(?:you|this|the \\w+|all|every \\w+|each \\w+|everything|nothing|code|files?|tests?) (?:\\w+ly |also |still )?(?:can(?: ?no|')t|need to(?! (?:and|or)\\b))\\b",
    "\\b(?:i|we) (?:\\w+ly )?(?:do not|don't|can(?:no|')t|won't|wouldn't|will not|would not) " +
      `(?:want(?! (?:to )?${myself})|need(?! (?:(?<=\\bi \\w+(?:'t| not) need )to|anything|anyone|it|them|that level)\\b)(?!.*\\banymore)|accept|like|pay|exceed|afford(?=.*\\d)|agree|allow)\\b`,
    "^no (?!worries|thanks|plans|kids|problems|doubts?|signs|ideas|regrets|hard|constraints|exclusions|preferences|restrictions|requirements)\\w+s\\W*$",
    "^(?:write|use|keep) .* with (?:minimal|no) \\w",
    "(?<!\\b(?:it's|it is|that) )\\bonly (?:use|accept|fly|pay|if|when|want|need(?! one\\b)(?!(?<=\\bi only need) to)|after|before|to)\\b",
    `^(?!${opening}(?:(?:i|we)(?! (?:need|want)(?! (?:to|help)\\b))|i'|it|th\\w+|an?|all|every\\w+|if|as|since|for example|sometimes|my|your|our|their|you (?:know|are|have|can|could|did|might)|when(?=.*, (?:it|i|they)\\b))\\b)${notTold}.*\\b(?:without|unless|except|instead of) \\w`,
  ].join("|"),
  "i",
);
/** What holds from now on, however it is put. */
const standing =
  /^(?:please )?(?:from now on|going forward|in future|as a rule|for the rest of|no longer|(?:whenever|every time|each time)(?!.*, (?:i(?! (?:want|need|expect|prefer))|it|he|she|they|we)\b)|at all times|by default|remember|note)[,: ]+(?=\p{L})|^no (?!.*:\W*$)(?!(?:it|this|that|he|she|they|we|you|i|no|not|but|just|the)\b|problem|worries|idea|thanks|thank|wait|need|one\b|luck|concern|rush|trouble|wonder|regrets|words? can|details yet|(?:constraints|exclusions|preferences?|restrictions|requirements)\W*$|(?:real|particular|specific|strong|special|big|major) (?:\w+ ){0,2}(?:preference|reason|concern|plan|opinion|question|order|sensitivity|idea)s?\b)(?![^,;]{1,60} (?:(?:has|have|had|was|were) (?:been|\w+ed)|needed|needs?|necessary)\b)(?!.*(?:anything like that|that i know of|\bthough|right now|at this time|so far)\b)[a-z`'"][^?]{8,}$|^(?:i|we) (?:strongly |really |always |would )?prefer\b|^(?:ab sofort|ab jetzt|in zukunft|künftig|da ora in poi|d'ora in poi|in futuro|à partir de maintenant|désormais|dorénavant|a partir de ahora|de ahora en adelante|de agora em diante|a partir de agora|с этого момента|отныне|впредь|od teraz|từ giờ|từ nay|mulai sekarang)(?!\p{L})|^(?:从现在起|今后|以后|今後は|これからは)/iu;
/** Conditions with an order behind the comma, preferences, limits, and what is to stay as it is. */
const terms = new RegExp(
  [
    "^(?!(?:if|should) (?:so|not|yes|no|needed|possible|(?:that|this|it)(?:'s| is| isn't)(?: not|n't)? (?:possible|allowed|so|fine|ok|an option|the case)),?\\b)(?!.* and i'll\\b)(?!.*\\b(?:tell|let) me (?:\\w+ )?what (?:\\w+ ){0,2}you need)(?:if|when|whenever|before|once|should) [^,?]{3,90}, (?:please |then |first )*(?!do\\W*$)(?:stop|ask|tell|keep|mark|use|do|don't|bump|add|run|write|leave|skip|call|warn|open|put|make|move|work|check|wait|update|report)\\b",
    "^(?:wenn|falls|bevor|sobald|ehe|si|avant (?:de|que)|quand|cuando|antes de|se|quando|prima di|jeśli|gdy|zanim|если|когда|прежде чем) [^,?]{3,90}, ?(?:\\p{L}+ )?(?:frag|sag|nimm|stopp|warte|lass|demande|arrête|utilise|dis|preg[uú]nta|usa|par[ae]|dime|chiedi|fermati|pergunte|avise|zapytaj|użyj|спроси|используй|скажи|остановись)",
    "^(?:i'd|i would|we'd|we would) rather (?!(?:not )?(?:say|tell|read|type|retype|share|show|give|wait|talk|guess)\\b)|^mir (?:ist|sind|wäre|wären) .{2,80} lieber|^(?:je préfère|prefie?ro|preferisco|wolę|лучше|ich bevorzuge|wir bevorzugen)(?= )",
    "^ask (?:me|us) (?:before|first)|^(?:maximum|max\\.?|minimum|min\\.?|au (?:maximum|plus)|al (?:massimo|minimo)|a lo sumo|no máximo|najwyżej|не (?:больше|более|меньше)|höchstens) .{0,60}\\d|\\b(?:stays?|keep|remains?) (?:under|below|within|at most|no longer than) .{0,20}\\d|\\b(?:is|are) (?:at most|no longer than) .{0,20}\\d|\\bmay not exceed\\b|\\b(?:length|size|limit|maximum) is \\d",
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
/** "I need it to stay under $100." */
const limits =
  /\b(?:at least|at most|(?:should|want|need|would like|i'd like|prefer|budget|limit)\b.*\b(?:less than|more than|under|below|up to|within|maximum|minimum|before|after|by)) (?:of )?[$€£¥]?\d/iu;
/** "I've set a budget of at most $200, can you help me keep to it" asks for help. */
const tellsOrAsks =
  /^(?:[^,]{1,20}, )?(?:and |but |so |since |just ){0,3}i(?:'ve|'m (?:\w+ ){0,2}(?:trying|over|feeling)| (?:set|took|discovered|agreed|started|got|had|was))\b|\b(?:can|could) you (?:help|give|explain|tell)\b|\bi'm (?:\w+ )?(?:wondering|curious|hoping|thinking)\b|\bhow (?:can|could|do|should) i\b|\bi'll (?:aim|try)\b/i;
const unspacedTerms =
  /用.{1,4}(?:回答|回复|回覆)|語で(?:答え|回答|返)|[\d一二三四五六七八九十百千万兩两几]\s*(?:个?[字词]|文字|単語|[語文行句段页頁条點点]|つ|個|件|回).{0,4}以[内上下]|(?:控制|保持|限)[^，。]{1,16}以[内上下]|^如果.{2,60}[，,].{0,4}(?:问|告诉|停|使用|不)|更喜欢|一律|不许|原样|(?:方が|ほうが)好き|最大\s*\d|しないこと|そのまま|たら、.{0,20}(?:聞|止|教え|使)/u;
/** Plain negation opens a clause: an order not to, in languages that have no "do not". Two more words must follow. */
const negated =
  /(?:^|[,;:.–—-]\s*|(?:bitte|por favor|merci de|please) )(?:(?:não|ne|не|nie|không|niet|tidak)\s|n')\p{L}{3,}\s+\p{L}|^(?:por favor,? )?non? \p{L}{3,}.*(?<!\p{L})(?:el|la|los|las|de|del|en|un|una|que|il|lo|le|di|con|per)(?!\p{L})|\bnicht\b.{0,60}(?:en|e|!|\.)$/iu;
/** What people say of themselves or of the past with the same words binds nobody; nor does what a client writes itself. */
export const musing =
  /^(?:[^ ,;:]+ ){1,8}(?:is|are|was|were) .*, (?:never|always) (?:in|on|at|from|for|by|with)\b|\b(?:and|that|which|it) (?:only|never|always) \w+[^\Ws]s\b|^i'll [^,;]*? and make sure\b|\b(i|we|they|you|he|she)(?: \w+)? (?:don't|do not|can't|cannot|can not|couldn't) (?:\w+ )?(?:know|think|see|understand|remember|mind|recall|believe|find|get|tell|figure|have|wait|imagine|help but|blame)\b|\bmust(?: have|'ve| be| love| know| feel| think| admit| say| insist| enjoy| really)\b|\b(?:just |only )?want(?:ed)? to (?:make sure|be sure|know|see|check|confirm|understand)\b|\b(?:don't|do not) (?:worry|last|know|mention)\b|\bno (?:problem|worries|idea|thanks|thank you)\b|\bnever,? mind\b|^no, (?:i )?don't like\b|\bdon't (?:want|need) (?:th\w+|it)(?: \w+)?\W*$|\b(?:without|not only|only)(?: \w+)? (?:them|him|her|you|me|us|fear|doubt|surprises?|hassle|trouble)\b|\b(?:thanks|thank you|sorry)\b[^.!]*$|^please continue the conversation from where .*$|^\w+ (?:required|forbidden)\W*$/gi;

/** The first clause of what people tell of themselves in other languages: "Ich habe keine E-Mail", "No tengo cuenta". */
const toldAbroad =
  /^(?:(?:und|aber|et|mais|y|pero|e|ma|mas|ale|i|и|но),? )?(?:ich (?:habe?|hatte|bin|war|weiß|wusste|finde|fand|sehe|verstehe|glaube|denke|dachte|wohne|arbeite)|j'(?:ai|étais|avais)|je (?:n'ai|suis|ne suis|sais|ne sais|ne me souviens|me souviens|pense|crois|comprends|vois|ne vois)|(?:yo )?(?:no )?(?:tengo|tuve|he|estoy|estaba|soy|sé|recuerdo|creo|entiendo|veo|vivo|trabajo)|(?:io )?(?:non )?(?:ho|avevo|ero|ricordo|credo|penso|capisco|vedo)|non so|(?:eu )?(?:não )?(?:tenho|tive|estou|estava|sou|acho|lembro|entendo|vejo|moro|trabalho)|(?:eu |não |eu não )sei|(?:nie )?(?:mam|miał[ae]m|jestem|był[ae]m|wiem|pamiętam|rozumiem|widzę|myślę)|у меня|(?:я )?(?:не )?(?:помню|знаю|вижу|думаю|понимаю|живу))(?! (?:que|de|da)(?!\p{L}))(?!\p{L})(?![^,]*(?:gesagt|dit|dicho|detto|dito|mówi|сказал))[^,;:—–.]*/iu;

/** Small words by which English is told from the languages whose binding words look like English ones (sin, solo, mai). */
const englishWords =
  /(?<!\p{L})(?:the|is|are|was|of|to|and|you|your|this|that|it|its|for|with|on|we|do|does|don't|be|as|at|from|have|has|please|i|i'm|an?|use|all|any|not|if|when|they|my|our|or)(?![\p{L}'])/giu;

/** Whether a sentence binds that is no question. */
export function binds(sentence: string, equals: boolean): boolean {
  if (strongest.test(sentence) || unspaced.test(sentence)) return true;
  // "For the parser: leave its tests as they are."
  const order = sentence.replace(/^[^:]{1,80}: /, "");
  if (
    terms.test(sentence) ||
    terms.test(order) ||
    (limits.test(sentence) && !tellsOrAsks.test(sentence)) ||
    unspacedTerms.test(sentence)
  )
    return true;
  const laid = sentence.replace(said, "…");
  if (equals ? between.test(sentence) : strongEnglish.test(laid) || english.test(laid)) return true;
  const words = sentence.match(englishWords)?.length ?? 0;
  if (words >= 2 || (words === 1 && sentence.length < 30))
    return standing.test(sentence) && !tellsOrAsks.test(sentence);
  const rest = sentence.replace(toldAbroad, "…");
  return strong.test(rest) || negated.test(rest) || standing.test(sentence);
}
