import { expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { assistant, call, result, user } from "./arbitrary-messages.test-data.ts";
import { findLeftOpen } from "./left-open.ts";
import { sourcesOf } from "./sources.ts";
import { findState } from "./state.ts";

const leftOpen = (...messages: Message[]) => findLeftOpen(sourcesOf(messages).sources);
const work = [call("1", "bash", { command: "make" }), result("1", "ok")];

it("tells what the newest report left open, with the list it opens", () => {
  const first = assistant("The store is split.\n\n**Remaining:**\n- Split the index\n- Write the docs");
  expect(leftOpen(user("Split it."), ...work, first, user("Go on."))).toBe(
    "**Remaining:** - Split the index - Write the docs",
  );
  const second = assistant("The index is split too. That leaves the docs and the two tests of the parser.");
  expect(leftOpen(user("Split it."), first, user("Go on."), ...work, second, user("Fine."))).toBe(
    "That leaves the docs and the two tests of the parser.",
  );
});

it("what is left in the middle of the work, what is denied and what is only announced was not left open", () => {
  const asked = user("Review all parts.");
  expect(
    leftOpen(asked, assistant("Only two parts remain."), ...work, assistant("All is read."), asked),
  ).toBeUndefined();
  expect(leftOpen(asked, assistant("Nothing is still open in the store."), asked)).toBeUndefined();
  expect(leftOpen(asked, assistant("Here are the remaining files:\n- a.ts\n- b.ts"), asked)).toBeUndefined();
  expect(leftOpen(asked, assistant("That leaves the docs."))).toBeUndefined();
});

it("a report of long ago left nothing open; a later note goes on with what an earlier one told", () => {
  const report = assistant("That leaves the docs and the two tests of the parser.");
  const since = Array.from({ length: 9 }, (_, at) => [user(`Build part ${at}.`), assistant(`Part ${at} is built.`)]);
  expect(leftOpen(user("Go."), report, user("Now this."))).toBeDefined();
  expect(leftOpen(user("Go."), report, ...since.flat(), user("Thanks."))).toBeUndefined();
  const state = findState(sourcesOf([user("Go on.")]).sources, ["left open: the docs [m4]"]);
  expect(state.find(({ kind }) => kind === "left open")?.text).toBe("the docs [m4]");
});
