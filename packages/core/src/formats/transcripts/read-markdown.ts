import type { Message, Role } from "../../message/message.ts";

/** A heading, or a bold word at the start of a line, that names who speaks: `## User`, `**Assistant:**`. */
const names = "user|human|you|me|assistant|ai|chatgpt|claude|gemini|model|system|tool";
const speaker = new RegExp(`^(?:#{1,4}\\s+(${names})\\b.*|\\*\\*(${names}):?\\*\\*:?\\s*(.*))$`, "i");

const roles: Readonly<Record<string, Role>> = {
  user: "user",
  human: "user",
  you: "user",
  me: "user",
  system: "system",
  // A tool's words without its call would be refused by providers; as words of the assistant they stay readable.
  tool: "assistant",
};

/** Markdown with a heading per speaker, as Midfold and most tools export it. Empty when there is no such heading. */
export function readMarkdown(text: string): readonly Message[] {
  const messages: Message[] = [];
  let role: Role | undefined;
  let lines: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    const words = lines.join("\n").trim();
    if (role !== undefined && words !== "") messages.push({ role, parts: [{ type: "text", text: words }] });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    // A heading inside a code block is code.
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const named = fence === undefined ? speaker.exec(line) : null;
    if (named === null) {
      lines.push(line);
      continue;
    }
    flush();
    role = roles[(named[1] ?? named[2] ?? "").toLowerCase()] ?? "assistant";
    if (named[3] !== undefined) lines.push(named[3]);
  }
  flush();
  return messages;
}

export function titleOf(markdown: string): string | undefined {
  const title = /^#\s+(.+)$/m.exec(markdown.slice(0, 2000))?.[1]?.trim();
  return title === undefined || speaker.test(`# ${title}`) ? undefined : title;
}
