import type { Emit } from "./scan-facts.ts";

const commandHead =
  /^(?:\$ |> |# )?(?:sudo |env )?(?:npm|npx|yarn|pnpm|bun|node|git|gh|docker|kubectl|python3?|pip3?|pytest|cargo|go|c?make|curl|cd|ls|mkdir|rm|cp|mv|cat|grep|rg|sed|find|apt(?:-get)?|brew|psql|export|source|(?:ba)?sh) [^\n]{1,300}/;

/** Commands stand on lines of their own, or in backticks. */
export function scanCommands(text: string, emit: Emit): void {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + 400));
    const indent = line.length - line.trimStart().length;
    const found = commandHead.exec(line.slice(indent));
    if (found && /[-/.=]|\$ /.test(found[0]))
      emit("command", start + indent, start + indent + found[0].trimEnd().length);
    else if (line.includes("`")) {
      for (const quoted of line.matchAll(/`([^`]{4,200})`/g)) {
        if (commandHead.test(quoted[1]!))
          emit("command", start + quoted.index + 1, start + quoted.index + quoted[0].length - 1);
      }
    }
    start = end + 1;
  }
}
