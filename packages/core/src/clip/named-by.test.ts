import { describe, expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { clipMessage } from "./clip-message.ts";
import { namedBy } from "./named-by.ts";

const places = "gate lamp pump door hinge drain fence stair roof wall sink vent".split(" ");
const numbered = places.map((name, at) => `${at + 1}. **The ${name}** is too low.\n   Raise it by hand.`).join("\n");
const lettered = "Three ways:\nA) Keep SQLite.\nB) Move to Postgres.\nC) Write our own store.";
const bullets = "You could take:\n- the train at nine\n- the bus at ten\n- a taxi\n\nWhich one?";
const first = (text: string) => namedBy(text, numbered).map((entry) => /\*\*The (\w+)/.exec(entry)?.[1]);

describe("what a reply names", () => {
  it.each([
    ["address 12/14, and 7", ["fence", "vent"]],
    ["address item 3", ["pump"]],
    ["#4 please, and (5) too", ["door", "hinge"]],
    ["all but 2.", ["lamp"]],
    ["the third, please", ["pump"]],
    ["nimm die zweite", ["lamp"]],
    ["le deuxième, merci", ["lamp"]],
    ["la segunda", ["lamp"]],
    ["la terza va bene", ["pump"]],
    ["de eerste", ["gate"]],
    ["второй вариант", ["lamp"]],
    ["第二个吧", ["lamp"]],
    ["the last one", ["vent"]],
    ["and what about the hinge?", ["hinge"]],
    ["ok", []],
    ["It cost 3.50 on 2024-05-03.", []],
  ])("%s", (reply, wanted) => expect(first(reply)).toEqual(wanted));

  it("by letter, place in a list without numbers, or a word", () => {
    expect(namedBy("option B", lettered)).toEqual(["B) Move to Postgres."]);
    expect(namedBy("I prefer Postgres", lettered)).toEqual(["B) Move to Postgres."]);
    expect(namedBy("the second", bullets)).toEqual(["- the bus at ten"]);
    expect(namedBy("A taxi then.", bullets)).toEqual(["- a taxi"]);
  });

  it("brings the lines below an entry with it", () => {
    expect(namedBy("address 3", numbered)).toEqual(["3. **The pump** is too low.\n   Raise it by hand."]);
  });

  it("is nothing in a long reply, which says itself what it is about", () => {
    expect(namedBy(`address 3. ${"And so on. ".repeat(200)}`, numbered)).toEqual([]);
  });

  it("takes no time in texts of megabytes", () => {
    for (const text of [
      "*".repeat(3_000_000),
      "\n".repeat(3_000_000),
      "* _ ".repeat(700_000),
      "word ".repeat(600_000),
    ]) {
      const started = process.cpuUsage();
      namedBy("address 3 and the second with words", text);
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(1500);
    }
  });

  it("stays when the message is clipped", () => {
    const counter = getCounter("gpt-4o");
    const text = Array.from(
      { length: 60 },
      (_, at) => `${at + 1}. Hall ${at} lacks ${at * 13} screws near door D${at}.`,
    );
    const message = { role: "assistant" as const, parts: [{ type: "text" as const, text: text.join("\n") }] };
    const kept = (reply?: string) => {
      const [part] = clipMessage(message, 200, counter, { reply }).parts;
      return part!.type === "text" ? part!.text : "";
    };
    expect(kept("address 31 and 42")).toContain(text[30]);
    expect(kept("address 31 and 42")).toContain(text[41]);
    expect(kept()).not.toContain(text[30]);
    expect(counter.count(kept("address 31 and 42"))).toBeLessThanOrEqual(200);
  });
});
