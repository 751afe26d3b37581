import { expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { findFacts } from "./find-facts.ts";
import { sourcesOf } from "./sources.ts";

const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const useOf = (opening: string) => {
  const messages = [said("user", opening), said("assistant", "I look."), said("user", "Go on.")];
  const { facts } = findFacts(sourcesOf(messages).sources, messages.length);
  return facts.find(({ text }) => text === "PUMP-4471")!.use;
};

it("what a request names counts more than what a prompt with a pasted issue lists", () => {
  const request = "Mend PUMP-4471, please.";
  const prompt = `${request} ${"It was looked at and ran as it had run before. ".repeat(60)}`;
  expect(useOf(request)).toBeGreaterThan(useOf(prompt) * 1.2);
});
