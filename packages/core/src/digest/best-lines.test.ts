import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { call, result, user } from "./arbitrary-messages.test-data.ts";
import { digest } from "./digest.ts";

const counter = getCounter("gpt-4o");
const words = "load the next part of it and go on until all of them are done".split(" ");

/** Lines of words, and three lines of code among them with a name and a number each. */
const listing = (file: number) =>
  Array.from({ length: 45 }, (_, line) =>
    line % 15 === 7
      ? `const part${file}x${line} = openPart("${file}-${1000 + line}", limits); // ${words.slice(0, 6).join(" ")}`
      : words.slice(line % 5).join(" "),
  ).join("\n");

const log = (text: string) => text.split("What was said and done:\n")[1]!;
const longSession = (show: (file: number) => Message[]) => [
  user("Please read all parts and tell me which one is broken."),
  ...Array.from({ length: 30 }, (_, file) => show(file)).flat(),
];

describe("a note of 500 tokens and more", () => {
  it("quotes code by whole lines and says which file they are from, fold after fold", () => {
    const session = longSession((file) => [
      call(`c${file}`, "read_file", { path: `/repo/src/part-${file}/main.ts` }),
      result(`c${file}`, listing(file)),
    ]);
    const lines = new Set(Array.from({ length: 30 }, (_, file) => listing(file).split("\n")).flat());
    const first = digest(session, { counter, maxTokens: 2500 });
    for (const { text } of [first, digest(session.slice(0, 5), { counter, maxTokens: 2500, previous: first.text })]) {
      const quoted = log(text)
        .split("\n")
        .filter((line) => line.includes("openPart"));
      expect(quoted.length).toBeGreaterThan(3);
      for (const line of quoted) {
        const [, file, body] = /^- read_file (part-\d+\/main\.ts): (.*)$/.exec(line)!;
        const code = body!.split(" … ");
        for (const one of code) {
          expect(lines).toContain(one);
          expect(one).toContain(`part${/\d+/.exec(file!)![0]}x`);
        }
      }
    }
  });

  it("quotes lines of a file that a call writes, up to the escaped line breaks of its JSON", () => {
    const session = longSession((file) => [
      call(`c${file}`, "write_file", { path: `src/part-${file}/main.ts`, content: listing(file) }),
      result(`c${file}`, "ok"),
    ]);
    const { text } = digest(session, { counter, maxTokens: 2500 });
    const quoted = log(text)
      .split(/\n| … /)
      .filter((piece) => piece.includes("openPart"));
    expect(quoted.length).toBeGreaterThan(3);
    for (const piece of quoted) {
      expect(piece).toMatch(/^(?:- write_file part-\d+\/main\.ts: )?const part.* \/\/ load the next part of it$/);
    }
  });

  it("quotes a line of code whole that has an escaped line break in it", () => {
    const code = (file: number) => `fmt.Fprintf(out, "\\nResuming part-${file}-of-30 in place\\n", plan.name)`;
    const session = longSession((file) => [
      call(`c${file}`, "read_file", { path: `src/part-${file}/main.go` }),
      result(`c${file}`, listing(file).replace(/const.*/, code(file))),
    ]);
    const { text } = digest(session, { counter, maxTokens: 2500 });
    const quoted = text.split(/\n| … /).filter((piece) => piece.includes("Fprintf") || piece.includes("-of-30"));
    expect(quoted.length).toBeGreaterThan(3);
    for (const piece of quoted)
      expect(piece).toMatch(/fmt\.Fprintf\(out, "\\nResuming part-\d+-of-30 in place\\n", plan\.name\)$/);
  });

  it("begins a quotation of JSON with a whole key", () => {
    const records = (file: number) =>
      JSON.stringify(
        Array.from({ length: 20 }, (_, at) => ({
          title: `${words.join(" ")} ${file}`,
          description: words.toReversed().join(" "),
          reservation_code: `R${file}Q${100 + at}`,
        })),
      );
    const session = longSession((file) => [
      call(`c${file}`, "list", { part: file }),
      result(`c${file}`, records(file)),
    ]);
    const pieces = log(digest(session, { counter, maxTokens: 2000 }).text).match(/(?<= … |: )[^…]*R\d+Q\d+(?=" )/g)!;
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece).toMatch(/^[[{]*"(?:title|description|reservation_code)":/);
  });

  it("quotes one line that names three values instead of three lines with one each", () => {
    const together = "joined AB-1001 CD-2002 EF-3003";
    const session = longSession((file) => [
      call(`c${file}`, "show", { part: file }),
      result(`c${file}`, file === 20 ? `${together}\n${listing(file)}` : listing(file)),
    ]);
    const apart = ["AB-1001", "CD-2002", "EF-3003"].map((id) => `${words.join(" ")} ${id} ${words.join(" ")}`);
    session.splice(1, 0, call("a", "show", { part: 99 }), result("a", apart.join("\n")), user("Use them all."));
    for (const id of ["AB-1001", "CD-2002", "EF-3003"]) session.push(call(id, "use", { id }), result(id, "used"));
    const { text } = digest(session, { counter, maxTokens: 1500 });
    expect(text).toContain(together);
    for (const line of apart) expect(text).not.toContain(line);
  });
});

describe("a note below 500 tokens", () => {
  it("begins a quotation of JSON with a key, not with the end of the value before it", () => {
    const flights = JSON.stringify(
      ["HAT157", "HAT215", "HAT045", "HAT110", "HAT268"].map((flight_number, at) => ({
        origin: ["BOS", "MIA", "SEA"][at % 3],
        destination: ["PHX", "DTW"][at % 2],
        flight_number,
        seats: { economy: 10 + at, business: at },
        weekday: "Monday or Thursday",
      })),
    );
    const talk = [user("Find me a flight."), call("c1", "search", { to: "any" }), result("c1", flights)];
    talk.push(user("Take any of them, the price does not matter to me at all, and tell me how many bags I may bring."));
    const { items } = digest(talk, { counter, maxTokens: 180 });
    const pieces = items.filter(({ section, lead }) => section === "log" && lead !== "user").map(({ text }) => text);
    expect(pieces.filter((text) => text.includes("HAT")).length).toBeGreaterThan(2);
    for (const text of pieces) expect(text).toMatch(/^[[{]*"\w+":/);
  });
});
