/** Who speaks: user and assistant take turns. */
export type Side = "user" | "assistant";

/** What each side says where a fold would leave the other one two turns in a row. */
export const turnLines: Readonly<Record<Side, string>> = {
  user: "[Earlier messages of this conversation were left out.]",
  assistant: "OK",
};
