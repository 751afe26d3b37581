#!/usr/bin/env node
// Written so that any Node can read it: an old one must get a sentence, not a syntax error from the files behind it.
var found = process.versions.node.split(".").map(Number);
if (found[0] < 22 || (found[0] === 22 && found[1] < 18)) {
  process.stderr.write(
    "midfold: This is Node " +
      process.versions.node +
      "; midfold needs 22.18 or newer. Install it, then run the command again.\n",
  );
  process.exitCode = 1;
} else {
  import("../src/main.js").catch((error) => {
    process.stderr.write(`midfold: It could not start: ${error.message}\n`);
    process.exitCode = 1;
  });
}
