import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { checkSources, linkSources } from "./link-sources.ts";

const say = (text: string, role: "user" | "assistant" = "user"): Message => ({ role, parts: [{ type: "text", text }] });

describe("linkSources", () => {
  const messages = [
    say("Please book the blue meeting room for Thursday."),
    say("Done, the blue meeting room is booked.", "assistant"),
    say("The deploy failed with ECONNREFUSED on port 5433."),
    say("Postgres listens on 5432; I changed the compose file.", "assistant"),
    say("Thank you for all of it."),
  ];

  it("does not call invented what Midfold itself writes before an entry", () => {
    const state = "State of the work:\n- last said by the assistant: 4. Postgres listens on 5432.";
    expect(checkSources(state, messages).invented).toEqual([]);
    expect(checkSources("- last heard from an assistant: 4. Postgres sleeps on 9999.", messages).invented).not.toEqual(
      [],
    );
  });

  it("does not call invented the day that a message meant, whoever wrote it down", () => {
    const dated = [{ ...say("Anna signed the lease yesterday, at last."), at: "2026-03-02T12:00:00" }, ...messages];
    const invented = (summary: string) => checkSources(summary, dated).invented.length;
    expect(invented("Anna signed the lease yesterday. [2026-03-01]")).toBe(0);
    expect(invented("Anna signed the lease on 2026-03-01.")).toBe(0);
    expect(invented("Anna signed the lease on 2026-04-17.")).toBe(1);
  });

  it("links a sentence to the messages it came from, by its rare words", () => {
    const summary = "A blue meeting room was booked for Thursday. The deploy failed with ECONNREFUSED on port 5433.";
    const links = linkSources(summary, messages);
    expect(links.map((link) => summary.slice(link.start, link.end))).toEqual([
      "A blue meeting room was booked for Thursday.",
      "The deploy failed with ECONNREFUSED on port 5433.",
    ]);
    expect(links[0]?.messages[0]).toBe(0);
    expect(links[1]?.messages[0]).toBe(2);
  });

  it("gives no link to what a model made up, and says that nobody said it", () => {
    const summary =
      "The blue meeting room was booked for Thursday. The meeting room costs 450 euros an hour. " +
      "The customer threatened to cancel the yearly contract.";
    const { links, invented } = checkSources(summary, messages);
    const words = ({ start, end }: { start: number; end: number }) => summary.slice(start, end);
    expect(links.map(words)).toEqual(["The blue meeting room was booked for Thursday."]);
    expect(invented.map(words)).toEqual([
      "The meeting room costs 450 euros an hour.",
      "The customer threatened to cancel the yearly contract.",
    ]);
  });

  it("what other messages say was said, and what is marked was not", () => {
    const summary =
      "The meeting room costs 450 euros an hour. The blue meeting room [not in the messages] was booked for Thursday.";
    const { links, invented } = checkSources(summary, messages, [say("The meeting room is 450 euros an hour.")]);
    const words = ({ start, end }: { start: number; end: number }) => summary.slice(start, end);
    expect(links).toEqual([]);
    expect(invented.map(words)).toEqual(["The blue meeting room [not in the messages] was booked for Thursday."]);
  });

  it("leaves headings alone", () => {
    const summary = "## The blue meeting room booked\n\nThe blue meeting room was booked for Thursday.";
    const { links, invented } = checkSources(summary, messages);
    expect(links.map(({ start }) => start)).toEqual([summary.indexOf("The blue meeting room was")]);
    expect(invented).toEqual([]);
  });

  it("gives no link to a sentence that nobody said", () => {
    expect(linkSources("Everything is wonderful overall.", messages)).toEqual([]);
  });
});

describe("which messages a sentence came from", () => {
  const talk = [
    say("The pump in hall 7 leaks oil."),
    say("The pump in hall 9 leaks water.", "assistant"),
    say("We ordered a new seal for the pump in hall 7."),
    ...Array.from({ length: 9 }, (_, at) => say(`Nothing else happened in week ${at + 20}, the pump kept running.`)),
  ];
  const found = (summary: string) => linkSources(summary, talk).map(({ messages }) => messages);

  it("the one that shares most comes first, and the earlier one where two share the same", () => {
    expect(found("We ordered a seal because of leaks in hall 7.")).toEqual([[2]]);
    expect(found("Leaks were found: oil in hall 7.")[0]?.[0]).toBe(0);
    const twice = [say("Oil leaks below the boiler."), say("Oil leaks below the boiler."), say("Fine."), say("Good.")];
    expect(linkSources("Oil leaks below the boiler.", twice)[0]?.messages).toEqual([0, 1]);
  });

  it("at most three, and none that lacks a number of the sentence", () => {
    const same = [1, 2, 3, 4, 5].map((at) => say(`Valve ${at} of the north boiler was greased.`));
    const others = Array.from({ length: 20 }, () => say("It rained."));
    expect(linkSources("The north boiler's valves were greased.", [...same, ...others])[0]?.messages).toHaveLength(3);
    expect(linkSources("Valve 4 of the north boiler was greased.", [...same, ...others])[0]?.messages).toEqual([3]);
    expect(linkSources("Valve 8 of the north boiler was greased.", [...same, ...others])).toEqual([]);
  });

  it("a word that most messages have points nowhere", () => {
    expect(found("The pump kept running.")).toEqual([]);
  });

  it("what tools returned counts, up to a length; sentences after the first three hundred are not judged", () => {
    const result: Message = {
      role: "tool",
      parts: [
        { type: "tool-result", callId: "1", content: [{ type: "text", text: "Sensor gamma reports overheating." }] },
      ],
    };
    expect(linkSources("Sensor gamma reported overheating.", [say("Hi."), result, say("Ok.")])[0]?.messages).toEqual([
      1,
    ]);
    const far = say(`${"filler ".repeat(4_000)} Sensor gamma reports overheating.`);
    expect(linkSources("Sensor gamma reports overheating.", [say("Hi."), far])).toEqual([]);
    const long = "Oil leaks below the boiler. ".repeat(301);
    expect(linkSources(long, [say("Oil leaks below the boiler."), say("Yes.")])).toHaveLength(300);
  });

  it("a number nobody said makes a sentence invented; two or three words are too few to judge", () => {
    const invented = (summary: string) => checkSources(summary, talk).invented.length;
    expect(invented("The pump leaks oil in hall 12.")).toBe(1);
    expect(invented("Wonderful times.")).toBe(0);
    expect(invented("Wonderful golden times.")).toBe(1);
    expect(invented("The pump leaks wonderful golden syrup.")).toBe(0);
  });

  it("a heading is recognized at the start of its line, not a hash further on", () => {
    expect(linkSources("# Oil leaks from the pump in hall 7", talk)).toEqual([]);
    expect(linkSources("The pump in hall 7 leaks oil #", talk)).toHaveLength(1);
    expect(linkSources("# Title\nThe pump in hall 7 leaks oil.", talk)).toHaveLength(1);
  });
});
