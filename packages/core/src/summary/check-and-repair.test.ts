import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import { noLines, renderLines } from "../digest/lines.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { checkAndRepair } from "./check-and-repair.ts";

const counter = getCounter("gpt-4o");
const repair = (
  summary: string,
  messages: Parameters<typeof checkAndRepair>[1],
  ledgerTokens = 400,
  previous?: string,
) =>
  checkAndRepair(summary, messages, {
    counter,
    ledgerTokens,
    believes: () => true,
    ...(previous === undefined ? {} : { previous }),
  });

describe("whether a summary says a fact", () => {
  test.each([
    ["The total was € 6.40 in the end.", "It costs 6.40 €.", true],
    ["The total was €\u00a06.40.", "It costs 6.40 €.", true],
    ["The total was 6.40 dollars.", "It costs 6.40 €.", false],
    ["We meet on October 14 at noon.", "We meet on 14 October.", true],
    ["We meet in October. There are 14 of us.\n", "We meet on 14 October.", true],
    ["We meet in October.\nThere are 14 of us.", "We meet on 14 October.", false],
    ["Wait for minutes: 15 of them.", "Wait 15 minutes.", true],
    ["It was order 1234.", "It was order 123.", false],
    ["It was order w-123.", "It was order #W-123.", false],
    ["it was in SRC/App.ts", "It was in src/app.ts.", true],
    ["It was in xsrc/app.ts", "It was in src/app.ts.", false],
    ["It was in src/app.tsx", "It was in src/app.ts.", false],
    ["It was in lib/src/app.ts2 and then in src/app.ts", "It was in src/app.ts.", true],
  ])("%j of %j: %s", (summary, said, kept) => {
    const { report } = repair(summary, [assistant(said)], 0);
    expect(report.kept > 0 && report.lost === 0, JSON.stringify(report)).toBe(kept);
    expect(report.repaired).toBe(0);
  });

  test("curly quotation marks and line breaks do not decide", () => {
    const rule = user("You must never say “it's fine” to a customer.");
    expect(repair('The rule: "You must never say\n "it’s fine" to a customer."', [rule], 0).report.lost).toBe(0);
  });
});

describe("what the ledger adds", () => {
  const work = [
    user("You must never touch the schema. Always answer in French."),
    call("1", "write_file", { path: "src/orders/load.ts", content: "x" }),
    result("1", "ok"),
    assistant("I wrote src/orders/load.ts; the port is 8431 and the ticket AUTH-4821."),
  ];

  test("rules of the user, the files that were changed, and exact things that the summary lacks", () => {
    const { ledger, report } = repair("Some work was done.", work);
    expect(ledger.rules).toEqual(["You must never touch the schema.", "Always answer in French."]);
    expect(ledger.state?.join("\n")).toContain("files changed: src/orders/load.ts");
    expect(ledger.log?.join("\n")).toContain("AUTH-4821");
    expect(ledger.log?.join("\n")).not.toContain("never touch");
    expect(report.lost).toBe(0);
    expect(report.repaired).toBeGreaterThan(3);
    expect(report.lostFacts).toEqual([]);
  });

  test("nothing that the summary says but rules, which its next model may leave out, and no section without an entry", () => {
    const summary =
      "You must never touch the schema. Always answer in French. src/orders/load.ts was written, port 8431, AUTH-4821.";
    const { ledger, report } = repair(summary, work);
    expect(ledger.rules).toEqual(["You must never touch the schema.", "Always answer in French."]);
    expect(ledger.log).toBeUndefined();
    expect(report.repaired).toBe(0);
    expect(report.lost).toBe(0);
    expect(repair("Hello.", [user("Hello there.")]).ledger).toEqual({});
  });

  test("no bare numbers out of a listing, which say nothing", () => {
    const listing = Array.from({ length: 30 }, (_, at) => `   ${4100 + at}→+`).join("\n");
    const { ledger } = repair("A file was read.", [
      user("Read it."),
      call("a", "read", "{}"),
      result("a", `${listing}\nport 8431 is taken`),
    ]);
    expect(ledger.log?.filter((line) => !/\p{L}{3}/u.test(line.replace(/^\w+: /, "")))).toEqual([]);
    expect(ledger.log?.join("\n")).toContain("port 8431");
  });

  test("what was asked last is no state of a summary", () => {
    const { ledger } = repair("Some work was done.", [...work, user("Now rename the port, please.")]);
    expect(ledger.state?.join("\n") ?? "").not.toContain("request");
  });

  test("the rules of an earlier frame are carried on, and else what the summary does not say", () => {
    const frame = frameMessage({
      kind: "summary",
      text: "They met.",
      covers: 9,
      ledger: {
        rules: ["Never call me Bob", "Never call me Rob"],
        state: ["files changed: src/old.ts"],
        log: ["user: code ZX-81", "user: code ZX-82", "user: hello"],
      },
    });
    const { ledger } = repair("Never call me Rob. The code is ZX-82.", [frame, ...work]);
    expect(ledger.rules?.slice(0, 2)).toEqual(["Never call me Bob", "Never call me Rob"]);
    expect(ledger.log).toContain("user: code ZX-81");
    expect(ledger.log).not.toContain("user: code ZX-82");
    expect(ledger.log).not.toContain("user: hello");
    expect(ledger.state?.join("\n")).toContain("src/old.ts");
  });

  test.each([5, 12, 20, 40, 80, 160])("stays within %i tokens, and every fact is kept, repaired or lost", (room) => {
    const many = Array.from({ length: 40 }, (_, at) =>
      assistant(`Order #W${1000 + at} goes to dock ${at} on 2026-05-${10 + (at % 20)}.`),
    );
    const { ledger, report } = repair("Orders were sent.", [...work, ...many], room);
    const size = counter.count(renderLines({ ...noLines, ...ledger }));
    expect(size).toBeLessThanOrEqual(room);
    if (room >= 20) expect(size).toBeGreaterThan(room * 0.6);
    expect(report.lostFacts.length).toBe(Math.min(200, report.lost));
    expect(report.lost).toBeGreaterThan(0);
    const weights = report.lostFacts.map(({ weight }) => weight);
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
  });

  test("a rule that is too long leaves room for the next; the state takes at most two fifths", () => {
    const long = user(`You must never ${"ever and ever ".repeat(30)}do that.`);
    const { ledger } = repair("Some work was done.", [long, ...work], 60);
    expect(ledger.rules).toContain("Always answer in French.");
    const files = Array.from({ length: 30 }, (_, at) =>
      call(`f${at}`, "write_file", { path: `src/module-${at}/index.ts`, content: "x" }),
    );
    const state = repair("Some work was done.", files, 100).ledger.state ?? [];
    expect(counter.count(renderLines({ ...noLines, state }))).toBeLessThanOrEqual(40);
  });

  test("the report lists as many lost facts as are asked for, the most missed first", () => {
    const many = Array.from({ length: 12 }, (_, at) => assistant(`Order #W${1000 + at} is on its way.`));
    const options = { counter, ledgerTokens: 0 };
    const whole = checkAndRepair("Orders were sent.", many, options).report;
    expect(whole.lost).toBe(12);
    expect(whole.lostFacts).toHaveLength(12);
    const few = checkAndRepair("Orders were sent.", many, { ...options, most: 5 }).report;
    expect(few.lost).toBe(12);
    expect(few.lostFacts).toEqual(whole.lostFacts.slice(0, 5));
  });

  test("the last line is quoted whole only where its sentence is not endless", () => {
    const endless = assistant(`It began ${"and went on ".repeat(40)}until code KX-22 came up, and so on`);
    expect(repair("Something was done.", [endless]).ledger.log?.at(-1)).toMatch(/code KX-22$/);
    const short = assistant("First there was nothing. Then the code KX-22 came up in the log. Later it rained.");
    expect(repair("Something was done.", [short]).ledger.log?.at(-1)).toBe(
      "assistant: Then the code KX-22 came up in the log.",
    );
  });
});
