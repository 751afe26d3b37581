import { expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { assistant, user } from "./arbitrary-messages.test-data.ts";
import { findChanges } from "./changes.ts";
import { digest } from "./digest.ts";
import { sourcesOf } from "./sources.ts";

const counter = getCounter("gpt-4o");
const latestAfter = (...said: string[]) => findChanges(sourcesOf(said.map(user)).sources, []);

it.each([
  ["The demo is on May 3.", "The demo moved to May 7.", "The demo is on May 3. [later: May 7]"],
  ["Our budget is $1,500.", "The budget is now $2,000.", "Our budget is $1,500. [later: $2,000]"],
  ["Use port 8080 for the API.", "Actually, use port 9090 for the API.", "Use port 8080 for the API. [later: 9090]"],
  ["The port is 8443.", "Please change the port from 8443 to 9443.", "The port is 8443. [later: 9443]"],
  ["The budget is $4,000.", "They raised the budget to $5,500.", "The budget is $4,000. [later: $5,500]"],
  [
    "We meet on 3 May and the code is 48213.",
    "We now meet on 7 May.",
    "We meet on 3 May and the code is 48213. [later: 7 May]",
  ],
  [
    "Der Termin ist am 3. Mai.",
    "Der Termin wurde auf den 7. Mai verschoben.",
    "Der Termin ist am 3. Mai. [later: 7. Mai]",
  ],
  [
    "La reunión es el 3 de mayo.",
    "La reunión se movió al 7 de mayo.",
    "La reunión es el 3 de mayo. [later: 7 de mayo]",
  ],
  [
    "La riunione è il 3 maggio.",
    "La riunione è stata spostata al 7 maggio.",
    "La riunione è il 3 maggio. [later: 7 maggio]",
  ],
  ["Das Budget ist 1500 €.", "Das Budget ist jetzt 2000 €.", "Das Budget ist 1500 €. [later: 2000 €]"],
])("%s %s", (former, change, marked) => {
  const latest = latestAfter(former, change);
  expect(latest(former)).toBe(marked);
  expect(latest(change)).toBe(change);
});

it.each([
  ["The server runs on port 8080.", "The database now listens on port 5432."],
  ["My cousin number 51 collects stamps.", "My cousin number 52 collects stamps."],
  ["The demo is on May 3.", "The demo is now $20."],
  ["The demo is on May 3.", "Now the demo really is on May 3."],
])("not changed: %s %s", (first, second) => {
  const latest = latestAfter(first, second);
  expect(latest(first)).toBe(first);
});

it("entries of one list stand beside each other and change nothing; a later list does", () => {
  const list = "1. `go test ./pkg/config`: all new tests pass\n2. `go test ./pkg/utils`: all new tests pass";
  const entry = "1. `go test ./pkg/config`: all new tests pass";
  expect(latestAfter(list)(entry)).toBe(entry);
  expect(latestAfter("- demo on May 3", "- demo now on May 7")("- demo on May 3")).toBe(
    "- demo on May 3 [later: May 7]",
  );
});

it("what was changed back is not marked; of two changes the last one counts", () => {
  expect(
    latestAfter(
      "The demo is on May 3.",
      "The demo moved to May 7.",
      "Move the demo to May 3.",
    )("The demo is on May 3."),
  ).toBe("The demo is on May 3.");
  expect(
    latestAfter(
      "The demo is on May 3.",
      "The demo moved to May 7.",
      "The demo moved to May 9.",
    )("The demo is on May 3."),
  ).toBe("The demo is on May 3. [later: May 9]");
});

it("a digest marks the former value, and the next digest too when only that one knows of the change", () => {
  const work = Array.from({ length: 30 }, (_, i) =>
    assistant(`Looked through part ${i} of the plan and found nothing to do.`.repeat(3)),
  );
  const first = digest([user("The demo is on May 3."), ...work], { counter, maxTokens: 400 }).text;
  expect(first).toContain("The demo is on May 3.");
  expect(first).not.toContain("later:");
  const second = digest([user("Thanks. The demo moved to May 7."), ...work], {
    counter,
    maxTokens: 400,
    previous: first,
  }).text;
  expect(second).toContain("The demo is on May 3. [later: May 7]");
  const third = digest([user("The demo moved to May 9, sorry."), ...work], {
    counter,
    maxTokens: 400,
    previous: second,
  }).text;
  expect(third).toContain("The demo is on May 3. [later: May 9]");
  expect(third).not.toContain("[later: May 7]");
});

it("only what the user says in so many words changes something", () => {
  const said = "The demo is on May 3.";
  const after = (...messages: Parameters<typeof sourcesOf>[0]) => findChanges(sourcesOf(messages).sources, [])(said);
  expect(after(user(said), user("The demo moved to May 7."))).toBe(`${said} [later: May 7]`);
  expect(after(user(said), assistant("The demo moved to May 7."))).toBe(said);
  expect(after(assistant(said), user("The demo moved to May 7."))).toBe(said);
  const result = { type: "tool-result", callId: "c", content: [{ type: "text", text: "The demo moved to May 7." }] };
  expect(after(user(said), { role: "tool", parts: [result] } as never)).toBe(said);
  expect(after(user(said), user("```\nThe demo moved to May 7.\n```"))).toBe(said);
});

it("a sentence with two values of a kind is no former statement, unless it is a change itself", () => {
  const two = "The demo is on May 3 or May 4.";
  expect(latestAfter(two, "The demo moved to May 7.")(two)).toBe(two);
  const moved = "The demo moved from May 3 to May 4.";
  expect(latestAfter(moved, "The demo moved to May 7.")(moved)).toBe(`${moved} [later: May 7]`);
});

it("marks a part of the sentence, more than it, and a line with citations and an older mark", () => {
  const latest = latestAfter("The demo is on May 3.", "The demo moved to May 7.");
  expect(latest("demo is on May 3")).toBe("demo is on May 3 [later: May 7]");
  expect(latest("Note: The demo is on May 3. Bring cake.")).toBe(
    "Note: The demo is on May 3. Bring cake. [later: May 7]",
  );
  expect(latest("The demo is on May 3. [m12]")).toBe("The demo is on May 3. [m12] [later: May 7]");
  expect(latest("The demo is on May 3. [later: May 5, 9 am]")).toBe("The demo is on May 3. [later: May 7]");
  expect(latest("The demo is on May 3. [2026-05-01]")).toBe("The demo is on May 3. [2026-05-01] [later: May 7]");
  // Another sentence with the same day, and the sentence without the day.
  expect(latest("Anna leaves on May 3.")).toBe("Anna leaves on May 3.");
  expect(latest("The demo is")).toBe("The demo is");
});

it("reads the first 400 statements, so that a conversation of numbers costs no minutes", () => {
  const others = (count: number) => Array.from({ length: count }, (_, at) => `A shelf holds ${at + 2_000} bolts.`);
  const mark = (count: number) =>
    latestAfter("The demo is on May 3.", ...others(count), "The demo moved to May 7.")("The demo is on May 3.");
  expect(mark(20)).toContain("[later: May 7]");
  expect(mark(420)).toBe("The demo is on May 3.");
});
