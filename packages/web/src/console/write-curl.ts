import type { RequestDetail } from "../api/types.gen.ts";

/** Where each protocol has its messages, and which other fields it requires. */
const bodies: Readonly<Record<string, { readonly messages: string; readonly more: object }>> = {
  "anthropic-messages": { messages: "messages", more: { max_tokens: 1024 } },
  "openai-chat": { messages: "messages", more: {} },
  "openai-responses": { messages: "input", more: {} },
};

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a curl command. Without captured messages the body is read from a file of the user. */
export function writeCurl(request: RequestDetail, messages: readonly unknown[] | undefined, origin: string): string {
  const body = bodies[request.protocol] ?? { messages: "messages", more: {} };
  const data =
    messages === undefined
      ? "@request.json"
      : quote(
          JSON.stringify({
            model: request.requestedModel,
            ...body.more,
            ...(request.stream ? { stream: true } : {}),
            [body.messages]: messages,
          }),
        );
  return [
    `curl ${origin}${request.path}`,
    "-H 'content-type: application/json'",
    `-H "authorization: Bearer $MIDFOLD_KEY"`,
    `-d ${data}`,
  ].join(" \\\n  ");
}
