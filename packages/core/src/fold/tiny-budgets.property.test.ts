import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("gpt-4o");
/** The reply primer, a message and a few words with a mark. Below it a fold may refuse. */
const smallest = 16;

const sentence = fc.constantFrom(
  "Which of these hotels has a pool and a garage?",
  "Always answer in French, and never mention prices.",
  "那么在这些周边的景点里面，有评分是5分，可以游玩1小时的景点吗？",
  "地址在朝阳区大屯路慧忠北里309号楼天创世缘A座1-3楼(近安立路)。",
  "The order W-4471 left Hall 7 on May 3 and cost $129.90.",
  "Не меняйте имена открытых функций.",
  "👩‍💻 working on it 🚀",
  "OK",
);
const text = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
const conversation = fc
  .array(text, { minLength: 1, maxLength: 12 })
  .map((texts) => texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })));

/** No frame: the newest answer may be told behind the question. */
const isWords = ({ role, content }: { role: string; content: string }) => role === "user" && !content.startsWith("[");

describe("in any budget of a few words and more", () => {
  it.each(["agent", "chat"] as const)(
    "%s answers plain talk, within it, and says where it clipped the last words",
    (preset) => {
      fc.assert(
        fc.property(conversation, fc.integer({ min: smallest, max: 400 }), (messages, budget) => {
          const warnings: string[] = [];
          const result = foldSync(
            messages as never,
            {
              model: "gpt-4o",
              preset,
              budget,
              warn: ({ code }: { code: string }) => warnings.push(code),
            } as never,
          );
          expect(counter.countMessages(result.messages as never)).toBeLessThanOrEqual(budget);
          const last = messages.findLast(({ role }) => role === "user")!;
          const left = (result.messages as typeof messages).findLast(isWords)!;
          const fits = counter.countMessages([last] as never) <= budget * 0.85;
          if (fits) expect(left.content).toBe(last.content);
          if (left.content === last.content) return;
          expect(left.content).toMatch(/…|truncated/);
          expect(warnings).toContain("last-message-clipped");
        }),
        { numRuns: 200 },
      );
    },
  );
});
