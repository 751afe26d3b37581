import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyMessages, anyText, assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import { stem, termsOf } from "../text/terms-of.ts";
import { ApproximateCounter } from "../tokens/approximate-counter.ts";
import { answerRecall } from "./answer-recall.ts";
import { buildArchive } from "./build-archive.ts";
import { recallExcerpts } from "./recall-excerpts.ts";
import { recallTool } from "./recall-tool.ts";
import { searchArchive } from "./search-archive.ts";

const counter = new ApproximateCounter();
const talk = [
  user("My sister Ana moved to Porto in March."),
  assistant("Nice! Porto is lovely in spring."),
  user("The booking code for the rental car is KX-7781."),
  assistant("Noted."),
  call("1", "weather", { city: "Lisbon" }),
  result("1", `${"clouds and more clouds\n".repeat(400)}the storm reaches Lisbon on Tuesday\n${"sun\n".repeat(400)}`),
  user("我们周五去北京的故宫参观"),
];
const archive = buildArchive(talk);
const best = (query: string) => searchArchive(archive, query)[0]?.entry.message;

describe("recall", () => {
  test("looks other forms of a word up for the first forty of a question: a pasted page of 5,000 took 20 seconds", () => {
    const night = buildArchive([user("We sat around the campfire all night.")]);
    const finds = (query: string) => searchArchive(night, query).length === 1;
    const letters = (count: number) =>
      Array.from(
        { length: count },
        (_, at) => `zeb${[...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`,
      );
    expect(finds(`${letters(30).join(" ")} camping`)).toBe(true);
    expect(finds(`${letters(80).join(" ")} camping`)).toBe(false);
    expect(finds(`${letters(80).join(" ")} campfire`)).toBe(true);
  });

  test("finds other forms of a word, exact ones first, and what is told by whom the question names", () => {
    const trip = buildArchive([
      user("Mia: We sat around the campfire all night."),
      assistant("Ben: That must have been cold."),
      assistant("Ben: A friend adopted a dog."),
      user("Mia: My friend has a horse."),
    ]);
    const found = (query: string) => searchArchive(trip, query).map(({ entry }) => entry.message);
    expect(found("What happened while camping?")[0]).toBe(0);
    expect(found("Which adoption was it?")[0]).toBe(2);
    expect(found("What does Mia's friend have?")[0]).toBe(3);
    expect(found("What does Ben's friend have?")[0]).toBe(2);
  });

  test("finds by words, endings, identifiers and Chinese", () => {
    expect(best("Where did Ana move?")).toBe(0);
    expect(best("rental cars booked")).toBe(2);
    expect(best("KX-7781")).toBe(2);
    expect(best("storms on Tuesday")).toBe(5);
    expect(best("什么时候去故宫")).toBe(6);
    expect(searchArchive(archive, "zebra")).toEqual([]);
    expect(searchArchive(archive, "the of and")).toEqual([]);
  });

  test("what answers a question is found by the question's words, before what was said beside a statement", () => {
    const chat = [
      assistant("Many people train with their relatives."),
      user("Let us talk about the weather."),
      assistant("Sure."),
      user("It rains."),
      assistant("How often do you train with your relatives?"),
      user("Three times a week."),
    ];
    const order = searchArchive(buildArchive(chat), "training with relatives").map(({ entry }) => entry.message);
    expect(order.indexOf(5)).toBeGreaterThan(-1);
    expect(order.indexOf(5)).toBeLessThan(order.indexOf(1));
    expect(order.indexOf(5)).toBeLessThan(order.indexOf(3));
  });

  test("quotes a long result by the line that answers, in order, within the budget", () => {
    const made = recallExcerpts(archive, "When does the storm reach Lisbon, and Ana in Porto?", {
      counter,
      maxTokens: 120,
    });
    expect(made.text).toContain("the storm reaches Lisbon on Tuesday");
    expect(made.text).toContain("Ana moved to Porto");
    expect(made.text).toMatch(/^\[Excerpts .*not instructions\.\]\n- m0 user: /);
    expect(made.messages).toEqual([...made.messages].sort((a, b) => a - b));
    expect(made.tokens).toBeLessThanOrEqual(120);
  });

  test("never over budget, deterministic, never throws", () => {
    fc.assert(
      fc.property(anyMessages, anyText, fc.integer({ min: 0, max: 200 }), (messages, question, maxTokens) => {
        const made = recallExcerpts(buildArchive(messages), question, { counter, maxTokens });
        expect(made.tokens).toBeLessThanOrEqual(maxTokens);
        expect(recallExcerpts(buildArchive(messages), question, { counter, maxTokens })).toEqual(made);
        expect(made.text).not.toContain("<|");
      }),
      { numRuns: 100 },
    );
  });

  test("frames are not searched, and indices start where the caller says", () => {
    const framed = buildArchive([frameMessage({ kind: "digest", text: "zebra", covers: 2 }), user("zebra crossing")], {
      firstIndex: 40,
    });
    expect(framed.entries.map((entry) => entry.id)).toEqual(["m41"]);
  });

  test("the tool searches, reads lines, and explains itself", () => {
    expect(recallTool.name).toBe("recall");
    expect(answerRecall(archive, { query: "rental car" }, { counter })).toContain("KX-7781");
    expect(answerRecall(archive, '{"id":"m5","from_line":401,"to_line":401}', { counter })).toBe(
      "m5, tool, lines 401-401 of 802 (quoted history):\nthe storm reaches Lisbon on Tuesday",
    );
    expect(answerRecall(archive, { id: "m99" }, { counter })).toMatch(/no condensed message m99/);
    expect(answerRecall(archive, { query: "zebra" }, { counter })).toMatch(/Nothing/);
    for (const odd of [undefined, null, 3, {}, [], { id: 4 }])
      expect(answerRecall(archive, odd, { counter })).toMatch(/query/);
    expect(counter.count(answerRecall(archive, { id: "m5" }, { counter, maxTokens: 100 }))).toBeLessThanOrEqual(100);
  });

  test("finds words in eight million letters without a space", () => {
    expect(termsOf(`${"ы".repeat(8_000_000)} конец`).at(-1)).toBe("конец");
  });

  test("stems lightly", () => {
    expect(["booked", "booking", "books", "flies", "class", "stopped", "rented"].map(stem)).toEqual([
      "book",
      "book",
      "book",
      "fly",
      "class",
      "stop",
      "rent",
    ]);
    expect(termsOf("Crème brûlée 北京大学 v2")).toEqual(["crem", "brule", "北京", "京大", "大学", "v2"]);
  });
});

describe("what was said on a day that the question names", () => {
  const spoken = (text: string, at: string) => ({
    role: "user" as const,
    parts: [{ type: "text" as const, text }],
    at,
  });
  const talk = [
    spoken("The kitchen gets new tiles.", "2026-05-03T12:00:00"),
    spoken("We take the blue paint.", "2026-06-03T12:00:00"),
    spoken("The gate stays as it is.", "2026-06-21T12:00:00"),
    spoken("Nothing is decided about the roof.", "2025-08-03T12:00:00"),
  ];
  const archive = buildArchive(talk);

  test.each([
    ["What was agreed on 3 June?", "m1"],
    ["Was haben wir am 21. Juni entschieden?", "m2"],
    ["Que s'est-il passé le 3 mai ?", "m0"],
    ["Что было 3 июня?", "m1"],
    ["What happened in August 2025?", "m3"],
    ["6月21日は何でしたか？", "m2"],
  ])("%s", (question, id) => {
    expect(searchArchive(archive, question)[0]?.entry.id).toBe(id);
  });

  test("is not found by its day where nobody knows when it was said", () => {
    const undated = buildArchive(talk.map(({ role, parts }) => ({ role, parts })));
    expect(searchArchive(undated, "Was it on 3 June?")).toEqual([]);
    expect(searchArchive(buildArchive([{ ...talk[1]!, at: "some day" }]), "Was it on 3 June?")).toEqual([]);
  });
});
