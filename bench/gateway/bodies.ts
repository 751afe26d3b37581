const sentence = "The build failed in module seven because the fixture path was wrong; we moved it and it passed. ";

/** A chat request of about this many bytes. `stream` comes first: the mock upstream looks at the start only. */
export function chatBody(model: string, bytes: number, stream = false): Buffer {
  const messages: { role: string; content: string }[] = [];
  const each = Math.min(4_000, Math.max(60, bytes - 120));
  for (let size = 120, i = 0; size < bytes || messages.length === 0; i++) {
    const content = `Message ${i}. ${sentence.repeat(Math.ceil(each / sentence.length))}`.slice(0, each);
    messages.push({ role: i % 2 === 0 ? "user" : "assistant", content });
    size += content.length + 34;
  }
  if (messages.at(-1)?.role !== "user") messages.push({ role: "user", content: "Go on." });
  return Buffer.from(JSON.stringify({ ...(stream ? { stream: true } : {}), model, messages }));
}
