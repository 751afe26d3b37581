import { asText } from "./json.ts";
import type { Problem } from "./problem.ts";
import type { RequestView } from "./protocol.ts";

/** OpenAI's answer to a missing or wrong key. */
export function validateBearer({ headers, options }: Pick<RequestView, "headers" | "options">): Problem | undefined {
  const key = /^Bearer (.+)$/.exec(asText(headers.authorization))?.[1];
  const refused = (message: string, code?: string): Problem => ({
    status: 401,
    type: "invalid_request_error",
    message,
    ...(code === undefined ? {} : { code }),
  });
  if (key === undefined) {
    return refused(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
    );
  }
  if (options.apiKey === undefined || key === options.apiKey) return undefined;
  return refused(`Incorrect API key provided: ${key.slice(0, 4)}****.`, "invalid_api_key");
}
