import type { FormatName, Message } from "@midfold/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryConversation, arbitraryWireConversation } from "./arbitrary-conversation.ts";
import type { MalformedSwitches } from "./conversation-options.ts";

const callsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-call" && !part.hosted ? [part.id] : [])),
  );
const answersOf = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-result" && !part.hosted ? [part.callId] : [])),
  );

/** Whether any of a few hundred conversations has the property. */
const occurs = (arbitrary: fc.Arbitrary<Message[]>, holds: (messages: Message[]) => boolean) =>
  fc.sample(arbitrary, { numRuns: 400, seed: 11 }).some(holds);

describe("valid conversations", () => {
  test("answer every call exactly once, after it was made, and end where the model is to speak", () => {
    fc.assert(
      fc.property(arbitraryConversation({ valid: true }), (messages) => {
        expect(answersOf(messages).toSorted()).toEqual(callsOf(messages).toSorted());
        expect(new Set(callsOf(messages)).size).toBe(callsOf(messages).length);
        const seen = new Set<string>();
        for (const message of messages) {
          for (const id of answersOf([message])) expect(seen).toContain(id);
          for (const id of callsOf([message])) seen.add(id);
        }
        expect(["user", "tool", "system"]).toContain(messages.at(-1)?.role);
        expect(messages.find((message) => message.role !== "system")?.role).toBe("user");
      }),
    );
  });

  test("every text is well-formed Unicode", () => {
    fc.assert(
      fc.property(arbitraryConversation(), (messages) => {
        expect(JSON.stringify(messages).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("every switch makes its flaw occur, and switching it off makes it stop", () => {
  const flaws: Record<keyof MalformedSwitches, (messages: Message[]) => boolean> = {
    missingResults: (messages) => callsOf(messages).some((id) => !answersOf(messages).includes(id)),
    duplicateResults: (messages) => new Set(answersOf(messages)).size < answersOf(messages).length,
    orphanResults: (messages) => answersOf(messages).some((id) => !callsOf(messages).includes(id)),
    misplacedResults: (messages) =>
      messages.some((message, index) =>
        answersOf([message]).some(
          (id) => callsOf(messages).includes(id) && !callsOf(messages.slice(0, index)).includes(id),
        ),
      ),
    reusedIds: (messages) => new Set(callsOf(messages)).size < callsOf(messages).length,
    emptyMessages: (messages) =>
      messages.some((message) => message.parts.every((part) => part.type === "text" && part.text === "")),
    unknownBlocks: (messages) => messages.some((message) => message.parts.some((part) => part.type === "other")),
    assistantFirst: (messages) => messages.find((message) => message.role !== "system")?.role === "assistant",
  };
  const off = Object.fromEntries(Object.keys(flaws).map((name) => [name, false]));

  test.each(Object.entries(flaws))("%s", (name, holds) => {
    expect(occurs(arbitraryConversation({ switches: { ...off, [name]: true }, maxChars: 40 }), holds)).toBe(true);
    expect(occurs(arbitraryConversation({ switches: off, maxChars: 40 }), holds)).toBe(false);
  });
});

test("hard but legal things occur in valid conversations", () => {
  const valid = arbitraryConversation({ valid: true });
  const hasPart = (type: string) => (messages: Message[]) =>
    messages.some((message) => message.parts.some((part) => part.type === type));
  for (const type of ["image", "file", "reasoning", "tool-call", "tool-result"])
    expect(occurs(valid, hasPart(type))).toBe(true);
  expect(occurs(valid, (messages) => messages.some((message) => message.pinned === true))).toBe(true);
  expect(occurs(valid, (messages) => JSON.stringify(messages).length > 40_000)).toBe(true);
  expect(occurs(valid, (messages) => messages.some((message, index) => index > 0 && message.role === "system"))).toBe(
    true,
  );
  expect(occurs(valid, (messages) => messages.some((message) => callsOf([message]).length > 1))).toBe(true);
});

test.each<FormatName>(["openai-chat", "anthropic-messages", "openai-responses", "ai-sdk"])(
  "%s lists are plain JSON and not empty",
  (format) => {
    fc.assert(
      fc.property(arbitraryWireConversation(format), (conversation) => {
        expect(conversation.messages.length).toBeGreaterThan(0);
        expect(JSON.parse(JSON.stringify(conversation))).toEqual(conversation);
      }),
      { numRuns: 50 },
    );
  },
);
