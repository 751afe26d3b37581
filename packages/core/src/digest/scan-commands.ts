import type { Emit } from "./scan-facts.ts";

const commandHead =
  /^(?:\$ |> |# )?(?:sudo |env )?(?:npm|npx|yarn|pnpm|bun|node|deno|tsc|git|gh|docker|docker-compose|kubectl|helm|terraform|ansible|python3?|pip3?|poetry|uv|pytest|cargo|rustc|go|make|cmake|gcc|clang|mvn|gradle|java|dotnet|ruby|bundle|php|composer|curl|wget|ssh|scp|rsync|cd|ls|mkdir|rm|cp|mv|cat|grep|rg|sed|awk|find|tar|chmod|chown|systemctl|journalctl|apt|apt-get|brew|psql|mysql|sqlite3|redis-cli|aws|gcloud|az|vim|export|source|bash|sh|zsh) [^\n]{1,300}/;

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
