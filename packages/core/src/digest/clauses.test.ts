import { expect, it } from "vitest";
import { findClauses } from "./clauses.ts";
import type { FoundFact, Mention } from "./find-facts.ts";
import type { Source } from "./sources.ts";

it.each([
  ["Это наша общая цель на этот год.", 1, 0],
  ["В нашем доме нет лифта совсем.", 1, 0],
  ["Это ваша общая цель на этот год.", 0, 1],
  ["Unserem Haus fehlt ein Aufzug.", 1, 0],
  ["Этот дом стоит на горе давно.", 0, 0],
])("who it is about is seen in every form of the word: %s", (text, self, other) => {
  const [features] = findClauses([{ kind: "text", by: "user", text } as Source], []).features;
  expect(features!.slice(7, 9)).toEqual([self, other]);
});

const talk = (...texts: string[]) =>
  texts.map((text, message) => ({ kind: "text", by: message % 2 ? "assistant" : "user", text, message }) as Source);
const worthOf = (wanted: string, sources: readonly Source[]) =>
  findClauses(sources, []).clauses.find(({ text }) => text === wanted)!.value;

it.each([
  ["What did you name the puppy?", "We named him Biscuit."],
  ["Wie heißt der Hund?", "Er heißt seit gestern Brezel."],
  ["子犬の名前は何ですか？", "名前はビスケットにしました。"],
])("what answers a question is worth more than the same words unasked: %s", (question, answer) => {
  const asked = worthOf(answer, talk(question, answer));
  const unasked = worthOf(answer, talk(question.replace(/[?？]/, "."), answer));
  expect(asked).toBeGreaterThan(2 * unasked);
});

it("the answer is looked for behind thanks, and not behind a tool's result", () => {
  const answer = "We named him Biscuit after the bakery.";
  const [question, reply] = talk("Lovely photo! What did you name the puppy?", `Thanks, Mia! ${answer}`);
  const looked = { kind: "result", by: "tool", text: "puppies: 3", message: 1 } as Source;
  const straight = findClauses([question!, reply!], []).features;
  const later = findClauses([question!, looked, reply!], []).features;
  // Opens a reply, answers what was asked.
  expect(straight.slice(2).map((features) => features.slice(16, 18))).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(later.slice(2).map((features) => features.slice(16, 18))).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

it("what is taken up soon is worth more than what nobody comes back to", () => {
  const said = "The kitchen in the attic has a skylight.";
  const rest = ["Nobody came to lunch today.", "Rain fell the whole morning."];
  const takenUp = worthOf(said, talk(said, "A skylight is a fine thing to have.", ...rest));
  const dropped = worthOf(said, talk(said, "A garden is a fine thing to have.", ...rest));
  expect(takenUp).toBeGreaterThan(dropped);
});

it("a name in a greeting counts less against what is told where no tools were used", () => {
  const told = "I moved to Lisbon in March because my sister opened a bakery there.";
  const messages = talk("Wow Mia! That is so cool.", told, "Neat.");
  const looked = { kind: "result", by: "tool", text: "nothing found", message: 3 } as Source;
  const share = (sources: readonly Source[]) => {
    const fact = { source: 0, use: 0.02 } as FoundFact;
    const { clauses } = findClauses(sources, [{ fact, source: 0, start: 0, end: 7 } as Mention]);
    return clauses.find(({ text }) => text === told)!.value / clauses[0]!.value;
  };
  expect(share(messages)).toBeGreaterThan(2 * share([...messages, looked]));
});

it("a tag or a fence alone is no sentence, and a title in bold is a title", () => {
  const { clauses } = findClauses(talk("<instructions>\nUse the new parser for invoices.\n</instructions>"), []);
  expect(clauses.map(({ text }) => text)).toEqual(["Use the new parser for invoices."]);
  const fence = findClauses(talk("Use the new parser for invoices.\n```python"), []);
  expect(fence.clauses.map(({ text }) => text)).toEqual(["Use the new parser for invoices."]);
  const [plain, title] = ["The new limits of the parser", "**The new limits of the parser:**"];
  expect(worthOf(title, talk(title))).toBeLessThan(worthOf(plain, talk(plain)) / 2);
});
