import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { afterAll, describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";

const runsPerEncoding = 26_000;

// What the splitting rules look at: letters by case, marks, numbers, white space, contractions, line breaks, slashes.
const fragments = [
  ..."aAzZéÉßſʰªǅİKﬁ你界한かカーไहаБЯאشქ가𝒜𐐀𐐨𠀀",
  ...[
    "the",
    " the",
    "Hello",
    "HELLO",
    "helloWorld",
    "HTMLParser",
    "ABC你d",
    "日本語",
    "世界",
    "Привет",
    "हिन्दी",
    "ภาษาไทย",
  ],
  ...[
    " ",
    "  ",
    "   ",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    "\t",
    "\t\t",
    "\v",
    "\f",
    "\x85",
    "\u00a0",
    "\u3000",
    "\u2028",
    "\ufeff",
  ],
  ...["'", "'s", "'S", "'t", "'re", "'RE", "'Ve", "'ll", "'LL", "'m", "'d", "'ſ", "'x", "’s", "''s"],
  ...["1", "12", "123", "1234", "123456789012", "٣", "½", "Ⅷ", "１２", "3.14", "0x1F", "1,000"],
  ...[
    ".",
    "...",
    "/",
    "//",
    "/*",
    "*/",
    "{}",
    '":"',
    "_",
    "____",
    "--",
    "====",
    "@#~",
    "<|endoftext|>",
    "<|im_start|>",
  ],
  ...["\u0301", "e\u0301", "\u20dd", "❤️", "👍", "👍🏽", "👨‍👩‍👧", "🇩🇪", "\u{e0100}", "\u200d", "\u200b"],
  ...["\0", "\x1f", "\x7f", "\ud800", "\udc00", "\ud83d", "\ufffd", "\uffff", "\u{10ffff}"],
  ...["user_id", "camelCaseWord", "SCREAMING_SNAKE", "https://example.com/a/b?c=d", "aaaaaaaa", "ACGTACGTTG"],
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 10 }).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 14 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 14 }) },
  // Any UTF-16 units, so mostly lone surrogates and private characters.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 14 })
      .map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...fragments), fc.nat(60)).map(([part, times]) => part.repeat(times)),
  },
);

describe.each(encodingNames)("%s", (name) => {
  const ours = getEncoding(name);
  const theirs = get_encoding(name);
  afterAll(() => theirs.free());
  const tiktoken = (value: string) => Array.from(theirs.encode_ordinary(value.toWellFormed()));

  it(`gives tiktoken's ids for ${runsPerEncoding} generated texts`, () => {
    fc.assert(
      fc.property(text, (value) => {
        const expected = tiktoken(value);
        const ids = ours.encode(value);
        if (ids.length !== expected.length || ids.some((id, at) => id !== expected[at])) return false;
        return ours.count(value) === expected.length;
      }),
      { numRuns: runsPerEncoding },
    );
  });

  it.each(Object.entries(realTexts()))("gives tiktoken's ids for %s", (_, value) => {
    expect(ours.encode(value)).toEqual(tiktoken(value));
    expect(ours.count(value)).toBe(tiktoken(value).length);
  });

  it("counts a text longer than one part as its parts together", () => {
    const long = Object.values(realTexts()).join("\n").repeat(50);
    expect(long.length).toBeGreaterThan(100_000);
    expect(ours.count(long)).toBe(tiktoken(long).length);
  });

  it("knows every class of character that tiktoken knows", () => {
    // A contraction after the character, and case on both sides, show which class each has; 64 characters a text.
    for (let start = 0; start < 0x30000; start += 64) {
      let probe = "";
      for (let codePoint = start; codePoint < start + 64; codePoint++) {
        const char = String.fromCodePoint(codePoint);
        probe += `${char}'ll a${char}A`;
      }
      expect(ours.encode(probe)).toEqual(tiktoken(probe));
    }
  });
});

function realTexts(): Record<string, string> {
  return {
    english:
      "It was past midnight when the train finally pulled out; nobody on the platform had said a word. \"We'll be late,\" she'd told him — and they were, by 3 hours and 27 minutes.\n\nDON'T PANIC, the sign read.",
    german: "Die Straßenbahn fährt übermorgen um 7:45 Uhr; Donaudampfschifffahrtsgesellschaft, schöne Grüße an Ärzte!",
    french: "L’été dernier, j'ai mangé une crêpe à l'œuf : 12,50 € — « très bonne », n'est-ce pas ?",
    polish: "Zażółć gęślą jaźń, a potem wróć do domu przed 18:00. Dziękuję bardzo!",
    vietnamese: "Hôm nay trời đẹp quá, chúng ta đi dạo quanh hồ Hoàn Kiếm nhé? Giá vé 25.000 ₫.",
    turkish: "İstanbul'da yağmur yağıyor; ışıklar söndü, DİKKAT edin!",
    russian: "Вчера вечером мы долго обсуждали, стоит ли переезжать. «Посмотрим», — сказал он. Цена: 1 234,56 ₽",
    greek: "Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί. ΑΘΗΝΑ 2024",
    hebrew: "שלום עולם! הרכבת יוצאת בשעה 10:30 מתל אביב, מחיר 45 ₪.",
    arabic: "مرحبا بالعالم، كيف حالك اليوم؟ الموعد الساعة ٣:٤٥ مساءً، والسعر ١٢٫٥٠ ريال.",
    persian: "می‌خواهم کتاب‌های بیشتری بخوانم؛ قیمت ۱۲۳۴ تومان است.",
    hindi: "नमस्ते दुनिया! आज मौसम बहुत अच्छा है, हम ३ बजे मिलेंगे।",
    bengali: "আমার সোনার বাংলা, আমি তোমায় ভালোবাসি। দাম ৫০০ টাকা।",
    tamil: "வணக்கம் உலகம்! இன்று வானிலை நன்றாக இருக்கிறது.",
    thai: "สวัสดีชาวโลก วันนี้อากาศดีมาก ราคา ๑๒๐ บาท ไปเที่ยวกันไหม",
    chinese: "今天天气很好，我们决定去颐和园散步。门票30元，开放时间06:30—18:00。人工智能正在改变世界",
    japanese: "昨日は東京タワーに行きました。チケットは１，２００円でした！カタカナとひらがな、漢字。",
    korean: "안녕하세요, 오늘 서울 날씨는 맑고 기온은 23도입니다. 감사합니다!",
    georgian: "გამარჯობა მსოფლიო! დღეს კარგი ამინდია.",
    armenian: "Բարեւ աշխարհ։ Այսօր եղանակը լավ է։",
    amharic: "ሰላም ዓለም! ዛሬ አየሩ ጥሩ ነው።",
    emoji: "Ship it 🚀🚀 👨‍👩‍👧‍👦 👍🏽 ❤️‍🔥 🇺🇦🇩🇪 1️⃣ ™️ ☕️\u200d",
    typescript:
      "export async function* walk<T>(root: Node<T>, depth = 0): AsyncGenerator<T> {\n\tif (depth > 0xff) return; // too deep\n\tfor (const child of root.children ?? []) {\n\t\tyield* walk(child, depth + 1);\n\t}\n}\n",
    python:
      'def parse(line: str) -> dict[str, int]:\n    """Don\'t raise."""\n    return {k: int(v) for k, _, v in (p.partition("=") for p in line.split())}\n\n\nif __name__ == "__main__":\n    print(parse("a=1 b=22"))\n',
    json: '{"id":"550e8400-e29b-41d4-a716-446655440000","items":[{"sku":"AB-1234","price":1299.99,"tags":["new","\\u00fc"]}],"ok":true,"next":null}',
    prettyJson: JSON.stringify({ user: { id: 42, roles: ["admin", "ops"] }, path: "C:\\temp\\x", n: -1.5e-7 }, null, 2),
    base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    log: '2026-03-01T12:34:56.789Z ERROR [worker-3] conn=10.0.0.12:5432 msg="connection reset by peer" retry=2/5 took=1532ms\r\n\tat Pool.acquire (/srv/app/pool.js:118:23)\r\n',
    markdown:
      "# Title\n\n- [x] done\n- [ ] **bold** _it_ `code`\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n```sh\n$ npm i\n```\n> quote  \n",
    sql: "SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN orders o ON o.user_id=u.id WHERE u.created_at>='2025-01-01' GROUP BY 1;",
    shell:
      "curl -sS -H 'Authorization: Bearer $TOKEN' https://api.example.com/v1/x?y=1\\&z=2 | jq -r '.items[].name' > out.txt 2>&1",
    specialTokens: "please explain <|endoftext|> and <|im_start|>system<|im_sep|> <|fim_prefix|><|endofprompt|>",
    controls: "\0\0\x01\x02 a\0b \ufeffBOM\r\n\r\n\u2028x\u2029 \u0085 \x7f\x1b[31mred\x1b[0m",
    loneSurrogates: "ok \ud83d broken \ude00 \ud800\ud800 end",
    trailingSpace: "a line  \n   \n\t \r\n  ",
  };
}
