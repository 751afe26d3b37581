export type Protocol = "openai-chat" | "anthropic-messages" | "openai-responses";

export const pathOf: Readonly<Record<Protocol, string>> = {
  "openai-chat": "/v1/chat/completions",
  "anthropic-messages": "/v1/messages",
  "openai-responses": "/v1/responses",
};

export interface GrowingOptions {
  readonly model: string;
  /** Size at which a conversation starts; it ends, and another takes its place, at one and a half times that. */
  readonly bytes: number;
  readonly stream?: boolean;
  readonly protocol?: Protocol;
  /** How many conversations take turns. */
  readonly conversations?: number;
}

const words =
  "the build failed in module because fixture path was wrong we moved it and tests passed then a review asked for smaller steps with names that say what happens".split(
    " ",
  );
/**
 * Messages are pieces of it. Written word by word for each request, a conversation of 20 KB took 330 microseconds, as
 * much as the gateway takes to serve it.
 */
const prose = writeProse(1_000_000);
/** What conversations of one size begin with, made once and used against every target. */
const beginnings = new Map<string, string>();

/**
 * Requests of many conversations in turn, each two messages longer than the last time it came by: what a gateway meets,
 * instead of one body for ever. The same sequence for every target.
 */
export function growingBodies({ model, bytes, stream, protocol = "openai-chat", conversations = 200 }: GrowingOptions) {
  const grown = Array.from({ length: conversations }, () => ({ life: 0, added: [] as string[], size: 0 }));
  const each = Math.min(2_000, Math.max(80, Math.floor(bytes / 4)));
  for (let at = 0; at < conversations; at++) beginning(`${at}.0`, bytes, each);
  let number = 0;
  return (): Buffer => {
    const at = number++ % conversations;
    let talk = grown[at]!;
    if (talk.size > bytes / 2) {
      talk = { life: talk.life + 1, added: [], size: 0 };
      grown[at] = talk;
    }
    const name = `${at}.${talk.life}`;
    const turn = talk.added.length;
    if (turn > 0 || talk.life > 0) {
      const pair = `,${message("assistant", `${name}.${turn}a`, each)},${message("user", `${name}.${turn}u`, each)}`;
      talk.added.push(pair);
      talk.size += pair.length;
    } else talk.added.push("");
    const list = `[${beginning(name, bytes, each)}${talk.added.join("")}]`;
    const key = protocol === "openai-responses" ? "input" : "messages";
    const limit = protocol === "anthropic-messages" ? '"max_tokens":1024,' : "";
    return Buffer.from(`{${stream === true ? '"stream":true,' : ""}"model":"${model}",${limit}"${key}":${list}}`);
  };
}

function beginning(name: string, bytes: number, each: number): string {
  const key = `${name}/${bytes}`;
  const known = beginnings.get(key);
  if (known !== undefined) return known;
  const parts = [message("user", `${name}.start`, each)];
  for (let size = each + 60; size < bytes; size += 2 * each + 70) {
    parts.push(
      message("assistant", `${name}.${parts.length}`, each),
      message("user", `${name}.${parts.length}q`, each),
    );
  }
  const made = parts.join(",");
  beginnings.set(key, made);
  return made;
}

/** Text that no other message has, of about this many bytes. */
function message(role: string, name: string, bytes: number): string {
  let seed = 7;
  for (const letter of name) seed = (Math.imul(seed, 31) + letter.charCodeAt(0)) >>> 0;
  const from = seed % (prose.length - bytes);
  return `{"role":"${role}","content":"Message ${name}: ${prose.slice(from, from + bytes - 40 - name.length)}"}`;
}

function writeProse(length: number): string {
  let seed = 7;
  let text = "";
  while (text.length < length) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    text += ` ${words[seed % words.length]}${seed % 17 === 0 ? ` ${seed % 9973}` : ""}`;
  }
  return text;
}
