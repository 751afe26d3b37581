import { expect, test } from "vitest";
import { shortenHit } from "./shorten-hit.ts";

const marked = ({ excerpt, highlights }: ReturnType<typeof shortenHit>) =>
  highlights.map(([from, to]) => excerpt.slice(from, to));

test("a hit far into its excerpt is brought to the front, and its marks with it", () => {
  const excerpt = `${"words before it ".repeat(6)}the pelican and another pelican`;
  const at = excerpt.indexOf("pelican");
  const last = excerpt.lastIndexOf("pelican");
  const short = shortenHit({
    excerpt,
    highlights: [
      [at, at + 7],
      [last, last + 7],
    ],
  });
  expect(short.excerpt).toBe("…it words before it the pelican and another pelican");
  expect(marked(short)).toEqual(["pelican", "pelican"]);
});

test("one near the front stays as it is, and one inside a very long word is cut into it", () => {
  const near = { excerpt: "A pelican.", highlights: [[2, 9]] } as const;
  expect(shortenHit(near)).toEqual(near);
  const long = shortenHit({ excerpt: `${"x".repeat(90)}pelican`, highlights: [[90, 97]] });
  expect(long.excerpt).toHaveLength(36);
  expect(marked(long)).toEqual(["pelican"]);
});
