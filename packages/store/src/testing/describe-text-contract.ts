import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fixture, freshOwner, say, textIn } from "./test-engine.ts";

const normal = (text: string) => text.toWellFormed().replaceAll("\0", "\uFFFD");

export function describeTextContract(fixture: () => Fixture): void {
  describe("text", () => {
    it.each([
      ["a NUL", "a\0b", "a\uFFFDb"],
      ["a lone high surrogate", "a\ud83d b", "a\uFFFD b"],
      ["a lone low surrogate", "\ude00x", "\uFFFDx"],
      ["an escape that only looks like one", "\\u0000 \\ud800", "\\u0000 \\ud800"],
      ["emoji and separators", "👩‍👩‍👧‍👦\u2028\u2029\r\n", "👩‍👩‍👧‍👦\u2028\u2029\r\n"],
    ])("with %s is the same in every place and on every database", async (_name, text, expected) => {
      const owner = freshOwner(fixture());
      const session = await owner.sessions.create({ title: text, systemPrompt: text, metadata: { [text]: [text] } });
      expect(session).toMatchObject({ title: expected, systemPrompt: expected, metadata: { [expected]: [expected] } });
      const [message] = await owner.messages.append(session.id, [{ ...say(text), id: text, name: text }]);
      expect(message).toMatchObject({ id: expected, name: expected, parts: [{ text: expected }] });
      expect(await owner.messages.get(session.id, text)).toEqual(message);
      await owner.settings.set({ kind: "provider", provider: text }, { [text]: text });
      expect(await owner.settings.get({ kind: "provider", provider: text })).toEqual({ [expected]: expected });
      await owner.folds.put({ prefix: text, covered: 1, record: { text } });
      expect((await owner.folds.find([text]))?.record).toEqual({ text: expected });
      await expect(owner.sessions.get(text)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await owner.messages.search(text);
    });

    it("comes back as it went in, otherwise", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), fc.jsonValue(), async (text, value) => {
          const [written] = await owner.messages.append(id, [
            {
              role: "user",
              parts: [
                { type: "text", text },
                { type: "other", kind: "k", value },
              ],
            },
          ]);
          const read = await owner.messages.get(id, written!.id);
          expect(textIn(read)).toBe(normal(text));
          expect(read.parts[1]).toEqual(JSON.parse(JSON.stringify(written!.parts[1])));
        }),
        { numRuns: 60 },
      );
    });
  });
}
