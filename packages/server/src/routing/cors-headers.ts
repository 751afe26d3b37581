import type { InboundRequest, Reply } from "../http/http-message.ts";

/** What a page of an allowed origin may read. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "*",
    vary: "origin",
  };
}

/** The answer to a browser that asks before it sends. */
export function answerPreflight(request: InboundRequest, origin: string): Reply {
  const wanted = request.headers["access-control-request-headers"];
  return {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        typeof wanted === "string" && /^[\w\s,-]+$/.test(wanted) ? wanted : "content-type",
      "access-control-max-age": "600",
    },
  };
}
