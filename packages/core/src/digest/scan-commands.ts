import type { Emit } from "./scan-facts.ts";

const command =
  /(?:^[ \t]*|`)((?:[$>#] )?(?:sudo )?(?:npm|npx|yarn|pnpm|node|git|gh|docker|python3?|pip3?|cargo|go|c?make|curl|cd|ls|rm|cp|mv|grep|sed|find|(?:ba)?sh) [^\n`]{1,300})/gm;

/** Commands stand on lines of their own, with a path or an option, or in backticks. */
export function scanCommands(text: string, emit: Emit): void {
  for (const { 0: found, 1: said, index } of text.matchAll(command)) {
    if (found[0] !== "`" && !/[-/.=]|\$ /.test(said!)) continue;
    const start = index + found.length - said!.length;
    emit("command", start, start + said!.trimEnd().length);
  }
}
