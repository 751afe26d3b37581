import { describe, expect, test, vi } from "vitest";
import { user } from "../digest/arbitrary-messages.test-data.ts";
import { textOf } from "../message/message.ts";
import { ApproximateCounter } from "../tokens/approximate-counter.ts";
import { askedStarts } from "./asked-starts.ts";
import { buildArchive } from "./build-archive.ts";
import { recallExcerpts } from "./recall-excerpts.ts";
import { searchArchive } from "./search-archive.ts";

const counter = new ApproximateCounter();
const messagesOf = (texts: readonly string[]) => texts.map((text) => user(text));
const found = (texts: readonly string[], question: string) =>
  searchArchive(buildArchive(messagesOf(texts)), question).map(({ entry }) => entry.message);

/** Enough talk for its language to be told, none of which is asked about. */
const talk = {
  English: ["I would like to go there with you.", "That is not what they had in mind."],
  German: ["Ich bin mit dem Zug nach Bonn gefahren.", "Das ist für uns nicht wichtig."],
  French: ["Je vais avec vous dans la ville.", "Ce n'est pas pour nous."],
  Spanish: ["Yo voy con mi hermana a la playa.", "Eso no es lo que dice el texto."],
  Italian: ["Vado con la zia al mare.", "Non è quello che dice il testo."],
  Portuguese: ["Eu vou com a tia para o mar.", "Isso não é o que está no texto."],
  Dutch: ["Ik ga met de trein naar Gent.", "Dat is voor ons niet van belang."],
  Russian: ["Я еду с тобой на море.", "Это не то, что мы хотели."],
};

/** In no pair does one word begin with the other. */
const forms: readonly (readonly [language: keyof typeof talk, said: string, asked: string])[] = [
  ["English", "Mia replied on Sunday.", "Whose reply came?"],
  ["English", "Happiness came late.", "Who is happy?"],
  ["German", "Kaufst du Brot und Milch?", "Was wollten wir kaufen?"],
  ["German", "Im Keller steht ein defekter Kessel.", "Was ist mit dem Defekten?"],
  ["French", "Le cheval dort.", "Où sont les chevaux ?"],
  ["French", "Nous décidons demain.", "Qui a décidé ?"],
  ["Spanish", "Decidieron esperar.", "¿Qué decidimos?"],
  ["Spanish", "Compramos cortinas rojas.", "¿Hay algo rojo?"],
  ["Italian", "Il magazzino sta a Bari.", "Dove sono i magazzini?"],
  ["Portuguese", "Eles decidiram esperar.", "O que decidimos?"],
  ["Portuguese", "A porta é vermelha.", "O que é vermelho?"],
  ["Dutch", "Wij gaan samen lopen.", "Wie loop je achterna?"],
  ["Dutch", "De deur is rood.", "Welke rode was het?"],
  ["Russian", "На складе пусто.", "Где находятся склады?"],
];

describe("another form of a word", () => {
  test.each(forms)("%s: %s ← %s", (language, said, asked) => {
    const [first, second] = talk[language];
    expect(found([first!, second!, second!, said], asked)[0]).toBe(3);
  });

  test.each(forms)("in a conversation of all these languages, %s: %s ← %s", (_, said, asked) => {
    const others = Object.values(talk).flat();
    expect(found([...others, ...others, said], asked)[0]).toBe(2 * others.length);
  });

  test("is found where no message tells its language, as between two short ones", () => {
    expect(found(["Magazzino pieno.", "Ok.", "Ok.", "Bene."], "Magazzini?")[0]).toBe(0);
  });

  test("is found in one message of its language among hundreds of another", () => {
    const many = Array.from({ length: 150 }, () => talk.English).flat();
    expect(found([...many, "Il magazzino sta a Bari.", ...many], "Dove sono i magazzini?")[0]).toBe(300);
  });

  test("is found by who asks in another language, and without accents", () => {
    expect(found([...talk.Italian, talk.Italian[1]!, "Il magazzino sta a Bari."], "Where are the magazzini?")[0]).toBe(
      3,
    );
    expect(found([...talk.French, talk.French[1]!, "Voici des questions générales."], "Les generaux ?")[0]).toBe(3);
  });

  test("comes after the very word that was asked for", () => {
    const texts = ["Il magazzino sta a Bari.", ...talk.Italian, ...talk.Italian, "Ecco i magazzini a Bari."];
    expect(found(texts, "Dove sono i magazzini?").slice(0, 2)).toEqual([5, 0]);
  });

  test("is one word with it where a question has both", () => {
    const texts = ["Il magazzino sta a Bari.", ...talk.Italian, ...talk.Italian];
    const score = (question: string) => searchArchive(buildArchive(messagesOf(texts)), question)[0]!.score;
    expect(score("magazzino magazzini")).toBe(score("magazzino"));
    expect(score("magazzini magazzino")).toBe(score("magazzino"));
  });

  test("is found by how it begins in languages without a stemmer", () => {
    expect(found(["Magazyny są w Łodzi.", "Nie wiem.", "Tak.", "Dobrze."], "Co jest w magazynach?")).toContain(0);
    expect(found(["Η πόρτα της αποθήκης.", "Ναι.", "Όχι.", "Καλά."], "Ποια αποθήκη;")[0]).toBe(0);
  });

  test("is quoted out of a long message", () => {
    const long = `${"La lettera parla di altro e non dice niente. ".repeat(80)}Il magazzino sta a Bari. ${"Poi viene il resto della lettera. ".repeat(80)}`;
    const archive = buildArchive(messagesOf([...talk.Italian, long]));
    const { text } = recallExcerpts(archive, "Dove sono i magazzini?", { counter, maxTokens: 200 });
    expect(text).toContain("Il magazzino sta a Bari.");
  });

  test("of a month is found by its day", () => {
    const [first, second] = talk.Russian;
    const messages = [
      { ...user(first!), at: "2026-03-03T12:00:00" },
      { ...user(second!), at: "2026-06-03T12:00:00" },
    ];
    const [hit] = searchArchive(buildArchive(messages), "Было в июне?");
    expect(hit?.entry.message).toBe(1);
  });

  test("is asked for by its start where a search finds words by that", () => {
    expect([...askedStarts("Dove sono i magazzini di Bari?")]).toEqual(expect.arrayContaining(["magazzin", "bari"]));
    expect(askedStarts("Где находятся склады?").has("склад")).toBe(true);
    expect(askedStarts("Where is the red cup?").has("red")).toBe(true);
    expect(askedStarts("我的和服在哪里？").has("和服")).toBe(true);
  });
});

describe("scripts that write no spaces between words", () => {
  /** The first message has the same letters side by side, across two words. */
  test.each([
    ["Chinese", "公司的生产和服务都很好。", "奶奶的那件和服都很好。", "和服"],
    ["Japanese", "弟は東京都に住んでいる。", "弟は今京都に住んでいる。", "京都"],
  ])("%s: a word counts more than its letters side by side", (_, across, word, question) => {
    const far = ["好。", "好。", "好。", "好。"];
    expect(found([across, ...far, word, ...far], question)[0]).toBe(5);
  });

  test.each([
    ["Chinese", "仓库在上海的浦东新区。", "上海有什么？"],
    ["Chinese, half of a compound", "我们参观了故宫博物院。", "什么时候去故宫？"],
    ["Japanese", "倉庫は大阪にあります。", "大阪の倉庫はどこですか？"],
    ["Korean, with another particle", "창고에는 아무도 없어요.", "창고를 누가 지켰나요?"],
    ["Thai", "โกดังอยู่ที่เชียงใหม่", "โกดังอยู่ไหน"],
    ["Hindi, with its vowel signs", "गोदाम मुंबई में है।", "गोदाम कहाँ है?"],
    ["digits as wide as letters", "会議は２０２６年です。", "2026"],
  ])("%s: %s ← %s", (_, said, asked) => {
    expect(found(["好。", "네.", "ครับ", said, "हाँ।"], asked)[0]).toBe(3);
  });

  test("a word of Hindi is no heap of letters", () => {
    expect(found(["दीन"], "नीद")).toEqual([]);
  });

  test("goes by pairs of letters where there is no segmenter", async () => {
    const { Segmenter } = Intl;
    try {
      Object.assign(Intl, { Segmenter: undefined });
      vi.resetModules();
      const { splitWords } = await import("./split-words.ts");
      expect(splitWords("北京大学 v2").terms).toEqual(["北京", "京大", "大学", "v2"]);
    } finally {
      Object.assign(Intl, { Segmenter });
    }
  });
});

describe("search in much text", () => {
  const random = (letters: string, size: number) => {
    let seed = 1;
    const next = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    let text = "";
    while (text.length < size) {
      for (let left = 3 + next(8); left > 0; left--) text += letters[next(letters.length)];
      text += " ";
    }
    return text;
  };

  test.each([
    ["a megabyte of words that none is like another", random("abcdefghijklmnopqrstuvwxyz", 1_000_000)],
    ["a megabyte of Russian ones", random("абвгдежзиклмнопрстуя", 500_000)],
    ["a megabyte of Chinese", random("我们周五去北京的故宫参观天气好东西大小中国人民", 330_000)],
    ["one word of a megabyte", "ы".repeat(500_000)],
    ["a megabyte of accents", "a\u0301".repeat(330_000)],
  ])("takes no longer than a second: %s", (_, text) => {
    const pieces = text.match(/.{1,1000}/gsu)!;
    const started = process.cpuUsage();
    const archive = buildArchive(messagesOf(pieces));
    recallExcerpts(archive, text.slice(0, 30_000), { counter, maxTokens: 2000 });
    // Of the processor, and three times what it may take: other tests run beside. What is not linear takes minutes.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
  });

  test("gives the same excerpts whatever was searched before", () => {
    const messages = messagesOf([...Object.values(talk).flat(), ...forms.map(([, said]) => said)]);
    const excerpts = () =>
      forms.map(([, , asked]) => recallExcerpts(buildArchive(messages), asked, { counter, maxTokens: 300 }));
    const before = excerpts();
    buildArchive(messagesOf(random("abcdefghij", 300_000).match(/.{1,1000}/gs)!));
    expect(excerpts()).toEqual(before);
    expect(messages.map(textOf)).toContain("Il magazzino sta a Bari.");
  });
});
