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
