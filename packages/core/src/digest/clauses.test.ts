import { expect, it } from "vitest";
import { findClauses } from "./clauses.ts";
import type { Source } from "./sources.ts";

it.each([
  ["Это наша общая цель на этот год.", 1, 0],
  ["В нашем доме нет лифта совсем.", 1, 0],
  ["Это ваша общая цель на этот год.", 0, 1],
  ["Unserem Haus fehlt ein Aufzug.", 1, 0],
  ["Этот дом стоит на горе давно.", 0, 0],
])("who it is about is seen in every form of the word: %s", (text, self, other) => {
  const [features] = findClauses([{ kind: "text", by: "user", text } as Source], []).features;
  expect(features!.slice(8, 10)).toEqual([self, other]);
});
