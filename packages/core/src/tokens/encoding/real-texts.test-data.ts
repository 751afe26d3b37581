/** Short texts as people and programs write them: 21 languages in 15 scripts, code, data, and what breaks tokenizers. */
export const realTexts: Readonly<Record<string, string>> = {
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
