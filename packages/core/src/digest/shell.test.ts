import { expect, it } from "vitest";
import { commandOf, movesIn, shell } from "./shell.ts";

it.each([
  ['{"command": "npm test -- \\"a b\\""}', 'npm test -- "a b"'],
  ['{"path": "a.ts"}', ""],
  ["`go test`", ""],
  ['{"command": "broken', ""],
])("the command of %s", (input, command) => {
  expect(commandOf({ text: input, name: "bash" })).toBe(command);
});

it("what is typed as text is the command itself", () => {
  expect(commandOf({ text: "npm test\n", name: shell })).toBe("npm test");
  expect(commandOf({ text: '{"command": "npm test"}', name: shell })).toBe("npm test");
});

it.each([
  ["rm -f src/a.ts b.ts && make", [{ from: "/src/a.ts" }, { from: "/b.ts" }]],
  ["cd /repo/src && git mv ./a.ts b.ts", [{ from: "/repo/src/a.ts", to: "/repo/src/b.ts" }]],
  [
    "cd /repo/src\nmv a.ts b.ts core/",
    [
      { from: "/repo/src/a.ts", to: "/repo/src/core/a.ts" },
      { from: "/repo/src/b.ts", to: "/repo/src/core/b.ts" },
    ],
  ],
  ["cd /repo/src && mv utils/a.ts ..", [{ from: "/repo/src/utils/a.ts", to: "/repo/a.ts" }]],
  ["mv lib src/core", [{ from: "/lib", to: "/src/core" }]],
  // What the shell fills in is not known.
  ['rm *.html; mv "$f" old/; rm $OLD', []],
  ["npm run rm src/a.ts; echo form a.ts", []],
])("what %s moves", (command, moves) => {
  expect(movesIn(command)).toEqual(moves);
});
