/**
 * Does a sentence of the user bind what happens later? Recognised by the words people use to bind, in fifteen
 * languages. "Strong" words leave no choice (must, never, only); "soft" ones state a wish that a later turn must know.
 */
const spaced = {
  strong: [
    "must|mustn't|must not|never|always|don't|do not|dont|cannot|can't|can not|only|shall|shall not|shouldn't|should not",
    "not allowed|no more than|no less than|at least|at most|under no circumstances|make sure|ensure|required|mandatory",
    "forbidden|without|except|unless|strictly|exactly|avoid|refuse|do nothing|keep in mind|remember to|remember that",
    "muss|müssen|musst|müsst|darf nicht|dürfen nicht|darfst nicht|niemals|nie|immer|nur|auf keinen fall|unbedingt|kein|keine",
    "keinen|verboten|mindestens|höchstens|maximal|stets|ausschließlich|zwingend|sollst|soll",
    "doit|doivent|dois|devez|il faut|jamais|toujours|uniquement|seulement|n'utilise|interdit|obligatoire|au moins|au plus",
    "surtout pas|impérativement|sans",
    "debe|debes|deben|debo|nunca|jamás|siempre|solo|sólo|solamente|únicamente|hay que|obligatorio|prohibido|tiene que",
    "tienes que|al menos|como máximo|sin",
    "deve|devem|devo|sempre|apenas|somente|obrigatório|proibido|mai|devi|devono|soltanto|bisogna|vietato",
    "должен|должна|должны|нужно|надо|необходимо|никогда|всегда|нельзя|только|обязательно|запрещено|минимум|максимум",
    "phải|không được|luôn|luôn luôn|đừng|chỉ|bắt buộc|tuyệt đối|không bao giờ|cấm|ít nhất|tối đa",
    "harus|jangan|selalu|hanya|wajib|tidak boleh|tidak pernah|dilarang|minimal|maksimal|pastikan",
    "musi|musisz|muszą|nigdy|zawsze|nie wolno|tylko|koniecznie|należy|zabronione|co najmniej|maksymalnie|wyłącznie",
    "moet|moeten|nooit|altijd|alleen|måste|aldrig|alltid|endast|asla|her zaman|sadece|zorunlu",
  ],
  soft: [
    "should|prefer|preferably|instead of|rather than|would like|i'd like|want|need|please keep|budget|limit|by default",
    "from now on|going forward|stick to|bevorzugt|lieber|sollte|möchte|préfère|voudrais|veux|prefiero|quiero|necesito",
    "хочу|предпочитаю|следует|muốn|cần|ingin|mau|chcę|wolę|powinien",
  ],
} as const;

const unspaced = {
  strong:
    /必须|必需|不要|不能|不可|不得|务必|一定要|只能|只要|禁止|千万|请勿|最多|至少|不超过|总是|始终|从不|切勿|不准|不許|必須|必ず|ないで|てはいけ|てはなら|なければなら|のみ|だけ|絶対|常に|決して|禁じ|以内|以下|以上|해야|하지 ?마|절대|항상|반드시|금지|ต้อง|ห้าม|يجب|لا ت|أبدا|دائما|فقط|חייב|אסור|हमेशा|कभी नहीं|केवल|मत /,
  soft: /希望|想要|最好|应该|應該|尽量|请用|請用|たい|べき|ほしい|欲しい|ください|원해|주세요/,
} as const;

/** Plain negation opens a clause: an order not to, in languages that have no "do not". Two more words must follow. */
const negated =
  /(?:^|[,;:.–—-]\s*|(?:bitte|por favor|merci de|please) )(?:no|não|non|ne|n'|не|nie|không|niet|tidak)\s?\p{L}{3,}\s+\p{L}|\bnicht\b.{0,60}(?:en|e|!|\.)$/iu;
/** What people say of themselves with the same words binds nobody. */
const musing =
  /\b(?:i|we|they|you)(?: really| still| just)? (?:don't|do not|can't|cannot|can not) (?:know|think|see|understand|remember|mind|recall|believe|find|get|tell|figure)\b|\bno (?:problem|worries|idea|thanks|thank you)\b/gi;

const bounded = (lists: readonly string[]) => new RegExp(`(?<![\\p{L}])(?:${lists.join("|")})(?![\\p{L}])`, "iu");
const strong = bounded(spaced.strong);
const soft = bounded(spaced.soft);

/** 2 for a sentence that binds, 1 for one that states a wish, 0 for neither. Questions bind nobody. */
export function constraintForce(sentence: string): 0 | 1 | 2 {
  const text = sentence.length > 400 ? sentence.slice(0, 400) : sentence;
  const plain = text.replace(/’/g, "'").replace(musing, "");
  const asks = /[?？]\s*$/.test(plain);
  if (strong.test(plain) || unspaced.strong.test(plain) || negated.test(plain)) return asks ? 1 : 2;
  if (asks) return 0;
  return soft.test(plain) || unspaced.soft.test(plain) ? 1 : 0;
}
