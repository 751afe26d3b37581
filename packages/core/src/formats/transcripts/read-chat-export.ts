import { isRecord, type JsonRecord, type ReadEntries, timeOf } from "./transcript.ts";

/** What the "export my data" files of ChatGPT (`mapping`) and claude.ai (`chat_messages`) hold per conversation. */
export function isChatExport(value: unknown): value is JsonRecord {
  return isRecord(value) && (isRecord(value.mapping) || Array.isArray(value.chat_messages));
}

export function readChatExport(conversation: JsonRecord): ReadEntries {
  const title = [conversation.title, conversation.name].find((name) => typeof name === "string" && name !== "");
  const read = isRecord(conversation.mapping)
    ? readTree(conversation.mapping, conversation.current_node)
    : readList(conversation.chat_messages as readonly unknown[]);
  return { ...read, title: title as string | undefined };
}

/** A tree of all edits and retries; the branch that ends at the current node is what the person saw last. */
function readTree(mapping: JsonRecord, current: unknown): ReadEntries {
  const path: JsonRecord[] = [];
  const seen = new Set<unknown>();
  for (let id: unknown = current ?? Object.keys(mapping).at(-1); typeof id === "string" && !seen.has(id); ) {
    seen.add(id);
    const node = mapping[id];
    if (!isRecord(node)) break;
    if (isRecord(node.message)) path.push(node.message);
    id = node.parent;
  }
  const wire: unknown[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  let model: string | undefined;
  for (const message of path.reverse()) {
    const role = isRecord(message.author) ? message.author.role : undefined;
    const content = isRecord(message.content) ? message.content : {};
    const parts = Array.isArray(content.parts) ? content.parts : [content.text];
    const text = parts.filter((part) => typeof part === "string" && part !== "").join("\n");
    if ((role !== "user" && role !== "assistant") || text === "") {
      skipped++;
      continue;
    }
    const slug = isRecord(message.metadata) ? message.metadata.model_slug : undefined;
    if (typeof slug === "string") model = slug;
    wire.push({ role, content: text });
    times.push(timeOf(message.create_time));
  }
  return { wire, times, skipped, model };
}

function readList(messages: readonly unknown[]): ReadEntries {
  const wire: unknown[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  for (const message of messages) {
    const text = isRecord(message) ? textOf(message) : "";
    if (!isRecord(message) || text === "") {
      skipped++;
      continue;
    }
    wire.push({ role: message.sender === "human" ? "user" : "assistant", content: text });
    times.push(timeOf(message.created_at));
  }
  return { wire, times, skipped };
}

function textOf(message: JsonRecord): string {
  const blocks = Array.isArray(message.content) ? message.content : [];
  const text = blocks
    .map((block) => (isRecord(block) && typeof block.text === "string" ? block.text : ""))
    .filter((part) => part !== "")
    .join("\n");
  return text !== "" ? text : typeof message.text === "string" ? message.text : "";
}
