import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { createExtractiveSummarizer } from "./extractive-summarizer.ts";
import { sectionHeadings } from "./templates.ts";

const counter = getCounter("gpt-4o");
const summarizer = createExtractiveSummarizer(counter);
const summarize = async (
  messages: readonly Message[],
  more: { maxTokens?: number; previous?: string; instructions?: string } = {},
) => (await summarizer.summarize({ prompt: "", messages, maxTokens: 600, ...more })).text;
/** The lines under each heading. */
const sections = (text: string) =>
  Object.fromEntries(
    text.split("\n\n").map((block) => {
      const [heading, ...lines] = block.split("\n");
      return [heading!.replace("## ", ""), lines.map((line) => line.replace(/^- /, ""))];
    }),
  );

const trip = [
  user("I want to go to Lisbon in May. You must never book a night flight."),
  call("1", "search_flights", { to: "LIS" }),
  result("1", '{"flight": "TP571", "price": 189}'),
  assistant("We agreed on flight TP571 for 189 euros."),
  user("The hotel should be near the river Tejo."),
  assistant("The seat is not yet confirmed."),
  user("Fine, thank you very much for that."),
  assistant("Which day do you want to come back?"),
];

describe("a summary made of what was said", () => {
  test("puts each sentence under the heading it belongs to", async () => {
    const made = sections(await summarize(trip));
    expect(Object.keys(made).every((heading) => (sectionHeadings as readonly string[]).includes(heading))).toBe(true);
    expect(made.Context?.join()).toMatch(/^The user: .*Lisbon/);
    expect(made["Key Points"]?.join("\n")).toContain('The user required: "You must never book a night flight."');
    expect(made["Key Points"]?.join("\n")).toContain("The user: The hotel should be near the river Tejo.");
    expect(made["Technical Details"]?.join("\n")).toContain("search_flights: ");
    expect(made["Decisions and Outcomes"]?.join("\n")).toContain("We agreed on flight TP571 for 189 euros.");
    expect(made["Unresolved Questions"]?.join("\n")).toContain("The seat is not yet confirmed.");
    const order = sectionHeadings.filter((heading) => made[heading] !== undefined);
    expect(Object.keys(made)).toEqual(order);
  });

  test("says who wrote it, and stops when it is cancelled", async () => {
    expect(summarizer.name).toBe("extractive");
    const request = { prompt: "", messages: trip, maxTokens: 300 };
    expect(await summarizer.summarize(request)).toMatchObject({ finish: "complete", model: "extractive" });
    const reason = new Error("gone");
    await expect(summarizer.summarize(request, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("carries an earlier summary on under the same headings, and its requirements longest", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `- Stop ${at} of the tour was visited on day ${at}.`);
    const previous = `## Key Points\n- The user required: "Never wake me."\n${lines.join("\n")}\n\n## Decisions and Outcomes\n* We took the train.`;
    const made = sections(await summarize(trip, { previous, maxTokens: 500 }));
    expect(made["Key Points"]).toContain('The user required: "Never wake me."');
    expect(made["Decisions and Outcomes"]).toContain("We took the train.");
    const stops = (made["Key Points"] ?? []).flatMap((line) => /^Stop (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(stops.length).toBeGreaterThan(3);
    expect(stops.length).toBeLessThan(40);
    // The oldest go first: what is left are the last ones, in order.
    expect(stops).toEqual(Array.from(stops, (_, at) => 40 - stops.length + at));
    expect(JSON.stringify(made)).toContain("Lisbon");
    // What an earlier summary opens with is its context, not the first words of this stretch.
    expect(made.Context).toBeUndefined();
    const whole = sections(await summarize(trip, { previous, maxTokens: 4_000 }));
    expect((whole["Key Points"] ?? []).filter((line) => line.startsWith("Stop "))).toHaveLength(40);
  });

  test("takes up an earlier text without headings as well", async () => {
    expect(await summarize(trip, { previous: "The passport number is XK-4417." })).toContain("XK-4417");
  });

  test("keeps first what it is told to look out for", async () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      assistant(`Remark ${at}: the ${["garden", "kitchen", "roof"][at % 3]} was looked at.`),
    );
    const about = async (instructions: string) =>
      (await summarize(many, { maxTokens: 160, instructions })).match(/garden|kitchen|roof/g) ?? [];
    const share = (words: readonly string[], word: string) => words.filter((one) => one === word).length / words.length;
    const [roof, kitchen] = [await about("roof"), await about("kitchen")];
    expect(share(roof, "roof")).toBeGreaterThan(share(kitchen, "roof"));
    expect(share(kitchen, "kitchen")).toBeGreaterThan(share(roof, "kitchen"));
  });

  test("an earlier summary stays whole where little came since", async () => {
    const facts = Array.from(
      { length: 12 },
      (_, at) => `- Bed ${at} holds ${at * 3 + 1} roses of the sort R-${1_000 + at}.`,
    );
    const previous = `## Key Points\n${facts.join("\n")}`;
    const maxTokens = counter.count(previous) + 40;
    const made = await summarize([user("The new bed behind the shed gets tulips.")], { previous, maxTokens });
    for (const fact of facts) expect(made).toContain(fact);
    expect(made).toContain("tulips");
  });

  test.each([40, 80, 160, 320, 640])("stays within %i tokens and uses them", async (maxTokens) => {
    const many = Array.from({ length: 80 }, (_, at) =>
      assistant(`Order #W${1000 + at} went to dock ${at} and was signed for.`),
    );
    const size = counter.count(await summarize(many, { maxTokens }));
    expect(size).toBeLessThanOrEqual(maxTokens);
    expect(size).toBeGreaterThan(maxTokens * 0.5);
  });

  test("without room says nothing new, and keeps what it can of the summary before", async () => {
    expect(await summarize(trip, { maxTokens: 4 })).toBe("");
    const previous = "## Context\n- A trip to Lisbon.";
    expect(await summarize(trip, { maxTokens: 20, previous })).toBe(previous);
  });
});
