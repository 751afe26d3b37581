/** What a command is called that an agent without tools wrote between fences. */
export const shell = "shell";

/** The command that a call gives to a shell, as it would be typed; empty where it gives none. */
export function commandOf({ text: input, name }: { readonly text: string; readonly name: string | undefined }): string {
  if (name === shell && !input.trimStart().startsWith("{")) return input.trim();
  try {
    const { command, cmd = command } = JSON.parse(input.slice(0, 4000)) as Record<string, unknown>;
    return typeof cmd === "string" ? cmd : "";
  } catch {
    // Arguments that are no JSON, or too long to be a command that somebody types.
    return "";
  }
}

const moving = /(?:^|[\n;&|(]) *(?:git )?(cd|mv|rm)((?: +[^\s;&|()"'`<>\\$*?]+(?=[\s;&|)]|$))+)/g;

/** What a command renames or removes (then without a new name), each as the folder of the last `cd` spells it. */
export function movesIn(command: string): { readonly from: string; readonly to?: string }[] {
  let folder = "";
  const moves: { readonly from: string; readonly to?: string }[] = [];
  for (const [, verb, list] of command.matchAll(moving)) {
    const paths = list!
      .trim()
      .split(/ +/)
      .filter((path) => !path.startsWith("-"));
    const last = paths.at(-1);
    if (last === undefined) continue;
    if (verb === "cd") folder = inFolder(folder, last);
    else if (verb === "rm") for (const path of paths) moves.push({ from: inFolder(folder, path) });
    else {
      const sources = paths.slice(0, -1);
      for (const path of sources) {
        const name = path.replace(/\/$/, "").split("/").at(-1)!;
        // `mv a.ts core` moves into a folder, `mv a.ts b.ts` renames.
        const into =
          sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(last) || (name.includes(".") && !/\.\w+$/.test(last));
        moves.push({ from: inFolder(folder, path), to: inFolder(folder, into ? `${last}/${name}` : last) });
      }
    }
  }
  return moves;
}

function inFolder(folder: string, path: string): string {
  if (/^[/~]/.test(path)) return path.replace(/\/$/, "");
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return parts.join("/");
}
