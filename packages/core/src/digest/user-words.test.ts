import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { digest } from "./digest.ts";

const counter = getCounter("gpt-4o");
const towns = "Oslo Bergen Porto Lisbon Turin Genoa Lyon Nantes Graz Linz Basel Bern Gdansk Lodz Riga Vilnius".split(
  " ",
);
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const answer = (town: string) =>
  `Sure. ${`Many travellers like ${town} in spring, since it is mild and the parks are open until late. `.repeat(12)}`;

/** What a note has of the user's words, where each town is asked about and gets a long answer. */
function words(ask: (town: string, at: number) => string, maxTokens: number): string {
  const chat = towns.flatMap((town, at) => [said("user", ask(town, at)), said("assistant", answer(town))]);
  return digest(chat, { counter, maxTokens }).lines.user.join("\n");
}

describe("what the user said in a chat with long answers", () => {
  const middle = "where we could meet for a workshop that lasts two days and ".repeat(6);
  const runOn = (town: string, at: number) =>
    `I am planning a trip to ${town} with ${at + 3} people and need to know ${middle}whether hotel ${town} has a projector?`;

  it("stays whole where a sentence runs on for 500 characters: its end alone says nothing", () => {
    const kept = words(runOn, 3_000);
    for (const [at, town] of towns.entries()) expect(kept).toContain(runOn(town, at));
  });

  it("has no sentence without its beginning, whatever the room", () => {
    for (const room of [500, 800, 1_200, 2_000]) {
      for (const line of words(runOn, room).split("\n")) {
        if (line.includes("projector")) expect(line).toContain("planning a trip");
      }
    }
  });

  it("leaves out pasted data, which has no full stop either", () => {
    const row = Array.from({ length: 40 }, (_, at) => `${at * 37}:${at * 91}`).join(",");
    const kept = words((town) => `Here are the readings of ${town}. ${row}.`, 3_000);
    expect(kept).toContain("readings of Riga");
    expect(kept).not.toMatch(/\d+:\d+/);
  });

  it("has what tells something before thanks, when not all fits", () => {
    const question = (town: string, at: number) => `Does my train to ${town} leave platform ${at + 11} at gate B${at}?`;
    const thanks = "That makes a lot of sense to me now, thanks again for all of your patience!";
    // The last question is the newest request.
    const kept = words((town, at) => `${thanks.replace("lot", town)} ${question(town, at)}`, 700);
    expect(towns.filter((town, at) => kept.includes(question(town, at)))).toEqual(towns.slice(0, -1));
  });
});

it("beside work, what is short and asks nothing comes before questions, though it tells less", () => {
  const things = "import export upload backup login report".split(" ");
  const wish = (at: number) => `I like error messages that name the file of the ${things[at]}.`;
  const page = (at: number) => Array.from({ length: 80 }, (_, row) => `hall_${at} row ${row} opens V${row}`).join("\n");
  const word = (at: number) => String.fromCharCode(97 + (at % 26), 107 + (at % 11), 97 + (at % 17), 98 + (at % 23));
  const question = (at: number) =>
    `Does error ${word(at)} in file ${word(at * 7)} have messages ${word(at * 3)} like ${word(at * 5)}, or name ${word(at * 9)}?`;
  const work = Array.from({ length: 40 }, (_, at): Message[] => [
    said("user", at < things.length ? wish(at) : question(at)),
    { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: `{"hall":${at}}` }] },
    { role: "tool", parts: [{ type: "tool-result", callId: `c${at}`, content: [{ type: "text", text: page(at) }] }] },
    said("assistant", `Hall ${at} is done.`),
  ]).flat();
  const kept = digest(work, { counter, maxTokens: 1_600 }).lines.user.join("\n");
  for (const at of things.keys()) expect(kept).toContain(wish(at));
  expect(kept.match(/Does error/g)?.length).toBeLessThan(30);
});

it("a single long prompt takes less of the room than what the user says in several messages", () => {
  const parts = towns.map(
    (town, at) => `The office in ${town} sends ${at + 12} reports each week, which are sorted by hand in room B${at}.`,
  );
  const page = (at: number) => Array.from({ length: 80 }, (_, row) => `hall_${at} row ${row} opens V${row}`).join("\n");
  const work = Array.from({ length: 12 }, (_, at): Message[] => [
    { role: "assistant", parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: `{"hall":${at}}` }] },
    { role: "tool", parts: [{ type: "tool-result", callId: `c${at}`, content: [{ type: "text", text: page(at) }] }] },
  ]).flat();
  const kept = (...told: string[]) =>
    digest([...told.map((text) => said("user", text)), ...work], { counter, maxTokens: 1_000 }).lines.user.join("\n");
  const [prompt, messages] = [kept(parts.join(" ")), kept(...parts)];
  expect(counter.count(prompt)).toBeGreaterThan(50);
  expect(counter.count(prompt)).toBeLessThan(counter.count(messages) * 0.7);
});
