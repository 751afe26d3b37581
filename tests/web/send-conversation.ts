/** Words that repeat in no pattern a fold could use. */
const words = (count: number, seed: number): string =>
  Array.from(
    { length: count },
    (_, i) => `${["pool", "retry", "cache", "index"][(i * 7 + seed) % 4]}${(i * 31 + seed * 17) % 997}`,
  ).join(" ");

/** A client that resends its growing history, as they all do, until folds have happened. */
export async function sendConversation(url: string, rounds: number, model = "midfold-demo-8k"): Promise<void> {
  const messages: { role: string; content: string }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    messages.push({
      role: "user",
      content: `Step ${round}: never delete /var/lib/app${round}.db. ${words(350, round)}`,
    });
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "any",
        "user-agent": "claude-cli/2.0.1 (external, cli)",
      },
      body: JSON.stringify({ model, max_tokens: 500, system: "You are terse.", messages }),
    });
    const body = (await response.json()) as { content: readonly { text: string }[] };
    messages.push({ role: "assistant", content: body.content[0]?.text ?? "" });
  }
}

/** One short request of another client. */
export async function sendHello(url: string, model = "midfold-demo", text = "hello"): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "codex_cli_rs/0.50" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }] }),
  });
}

export const tooLong = words(3_000, 3);
