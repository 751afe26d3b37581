/** Calls the chat API of a server the way its page does. */
export async function callApi<TResult>(url: string, method: string, path: string, body?: unknown): Promise<TResult> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as TResult;
}

/** Makes a session out of messages; gives its id. */
export async function importMessages(url: string, title: string, messages: readonly object[], model = "midfold-demo") {
  const { session } = await callApi<{ session: { id: string } }>(url, "POST", "/sessions/import", {
    content: JSON.stringify(messages),
    title,
    model,
  });
  return session.id;
}

/** Makes a session in which user and assistant take turns; gives its id. */
export function importTalk(
  url: string,
  title: string,
  length: number,
  say: (index: number) => string,
  model?: string,
): Promise<string> {
  const messages = Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: say(index),
  }));
  return importMessages(url, title, messages, model);
}

/** The built-in long example; gives its id. */
export async function loadExample(url: string): Promise<string> {
  return (await callApi<{ id: string }>(url, "POST", "/sessions/example", {})).id;
}
