import type { ApiPart } from "../../api/message.ts";
import type { SessionExport } from "../../api/transfer.ts";
import { endingKind } from "../context/to-message.ts";

const speakers = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

/** A session for people to read: a heading per speaker, the summary where it stands, tools as code blocks. */
export function exportMarkdown(exported: SessionExport): string {
  const active = exported.summaries.find((summary) => summary.active);
  const blocks = [
    `# ${exported.title.replaceAll(/\s+/g, " ")}`,
    `_${exported.model} · exported ${exported.exportedAt}_`,
  ];
  if (exported.system !== null) blocks.push("## System", exported.system);
  for (const message of exported.messages) {
    if (message.visibility === "person") continue;
    const words = message.parts.map(writePart).filter((text) => text !== "");
    if (words.length > 0) blocks.push(`## ${speakers[message.role]}`, ...words);
    if (message.id === active?.cutoffMessageId) {
      blocks.push(
        `> **Summary of the ${active.content.messagesIncluded} messages above**`,
        quote(active.content.summaryText),
      );
    }
  }
  return `${blocks.join("\n\n")}\n`;
}

function writePart(part: ApiPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return part.text === "" ? "" : quote(part.text);
    case "tool-call":
      return `Called \`${part.name}\`:\n\n${fenced(part.input)}`;
    case "tool-result":
      return fenced(part.content.map((inner) => (inner.type === "text" ? inner.text : `[${inner.type}]`)).join("\n"));
    case "image":
    case "file":
      return `_[${part.type}${"name" in part && part.name !== undefined ? ` ${part.name}` : ""}]_`;
    case "other":
      return part.kind === endingKind ? `_${String(part.value)}_` : "";
  }
}

/** A fence longer than any inside it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
