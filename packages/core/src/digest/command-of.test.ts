import { expect, it } from "vitest";
import { commandOf } from "./command-of.ts";

it.each([
  ['{"command": "npm test -- \\"a b\\""}', 'npm test -- "a b"'],
  ['{"path": "a.ts"}', ""],
  ["`go test`", ""],
  ['{"command": "broken', ""],
])("the command of %s", (input, command) => {
  expect(commandOf(input)).toBe(command);
});
