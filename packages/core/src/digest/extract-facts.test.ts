import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyMessages, assistant, call, result, user } from "./arbitrary-messages.test-data.ts";
import { extractFacts } from "./extract-facts.ts";
import type { FactKind } from "./fact.ts";
import { isRule } from "./rules.ts";

const found = (text: string, kind: FactKind) =>
  extractFacts([user(text)])
    .filter((fact) => fact.kind === kind)
    .map((fact) => fact.text);

describe("extractFacts", () => {
  test.each<[FactKind, string, string[]]>([
    [
      "path",
      "see src/auth/login.ts, /etc/hosts and package.json; and/or not",
      ["src/auth/login.ts", "/etc/hosts", "package.json"],
    ],
    ["path", "open C:\\Users\\mia\\notes.txt now", ["C:\\Users\\mia\\notes.txt"]],
    ["url", "docs at https://example.com/a?b=c&d=(e), ok", ["https://example.com/a?b=c&d=(e"]],
    ["email", "write to mia.li@example.com.", ["mia.li@example.com"]],
    ["identifier", "order #W2378156, booking 4WQ150, ticket AUTH-4821", ["#W2378156", "4WQ150", "AUTH-4821"]],
    [
      "identifier",
      "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 at commit 9fceb02d",
      ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "9fceb02d"],
    ],
    ["money", "it costs $1,234.50 or 300 euros", ["$1,234.50", "300 euros"]],
    ["date", "on 2024-05-20 at 15:00, or May 27, 2024, or 3 June", ["2024-05-20", "15:00", "May 27, 2024", "3 June"]],
    ["date", "em 3 março, não antes", ["3 março"]],
    ["date", "于2024年5月20日出发", ["2024年5月20日"]],
    ["money", "人均消费75元", ["75元"]],
    ["number", "wait 15 minutes, then use 45% of 3.5 GB", ["15 minutes", "45%", "3.5 GB"]],
    ["phone", "call 555-123-2002 please", ["555-123-2002"]],
    ["symbol", "rename getUserById to fetch_user in MAX_RETRIES", ["getUserById", "fetch_user", "MAX_RETRIES"]],
    [
      "command",
      "run this:\n$ npm run build -- --watch\nthen `git push --force`",
      ["$ npm run build -- --watch", "git push --force"],
    ],
    ["name", "I met John Smith in Seattle", ["John Smith"]],
  ])("finds %s in %j", (kind, text, expected) => {
    expect(found(text, kind)).toEqual(expect.arrayContaining(expected));
  });

  test("keeps error lines of tools and says who said what", () => {
    const facts = extractFacts([
      user("The code is KX-22."),
      call("1", "bash", { command: "make -j4" }),
      result("1", "ok\nfatal error: KX-22 missing stdio.h\n"),
      assistant("KX-22 again"),
    ]);
    expect(facts.find((fact) => fact.text === "KX-22")).toMatchObject({ by: "user", count: 3, message: 0, last: 3 });
    expect(facts.find((fact) => fact.kind === "error")?.text).toBe("fatal error: KX-22 missing stdio.h");
    expect(facts.find((fact) => fact.kind === "error")?.by).toBe("tool");
  });

  test.each([
    "You must not deploy on Friday.",
    "Please don't use semicolons",
    "Only reply in JSON",
    "Bitte niemals auf main pushen.",
    "Das darf nicht gelöscht werden",
    "Il ne faut jamais supprimer ce fichier",
    "Nunca borres la base de datos",
    "No uses la base de datos de producción",
    "必须使用中文回答",
    "不要删除任何文件",
    "必ずテストを実行してください",
    "本番には絶対に触らないで",
    "Никогда не трогай продакшн",
    "Không được xoá dữ liệu",
    "Jangan hapus berkas ini",
    "Nigdy nie usuwaj tego pliku",
    "프로덕션은 절대 건드리지 마세요",
  ])("hears a constraint in %j", (sentence) => {
    expect(isRule(sentence)).toBe(true);
  });

  test.each([
    "What time is it?",
    "I don't know yet.",
    "Thanks, that looks good.",
    "No problem",
    "Danke schön",
    "谢谢",
    "Here is a minimal example",
    "It would be a sin to lose it",
    "He sang a solo in the end",
    "You must love it",
    "I want to make sure I understand the plan",
  ])("hears none in %j", (sentence) => {
    expect(isRule(sentence)).toBe(false);
  });

  /** A fact is told with plain spaces, whatever kind its message has. */
  const bare = (text: string) => text.replaceAll(/[\s\p{Z}\p{C}]/gu, "");
  const stringsOf = (value: unknown): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsOf(inner)])
      : [String(value)];

  test("never throws, and every fact stands where it says", () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        for (const fact of extractFacts(messages)) {
          expect(fact.message).toBeLessThan(messages.length);
          const said = stringsOf(messages[fact.message]).map(bare).join(" ");
          // JSON in a text has its escapes, the fact found in it has not.
          if (!said.includes("\\")) expect(said).toContain(bare(fact.text).slice(0, 5));
        }
      }),
    );
  });

  test("gets through a megabyte of anything", () => {
    const hostile = [
      "a",
      " ",
      "1",
      "-",
      "/",
      "@",
      "a.",
      "1:",
      "A1",
      "not ",
      "日本",
      "`",
      "\n",
      "error",
      "http://",
      "Aa ",
      "$",
      "x@",
    ];
    for (const unit of hostile) {
      const text = unit.repeat(Math.ceil(1e6 / unit.length));
      expect(extractFacts([user(text), result("1", text)]).length).toBeLessThan(20_000);
    }
  });
});
