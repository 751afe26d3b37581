import { type Protocol, protocols } from "@midfold/wire";
import type { Route } from "../http/create-site.ts";
import { replyJson } from "../http/reply-json.ts";
import type { Gateway } from "../turn/gateway.ts";
import { runTurn } from "../turn/run-turn.ts";
import { compactResponses } from "./compact-responses.ts";
import { countRequest } from "./count-request.ts";
import { encodeProtocolError } from "./encode-protocol-error.ts";
import { getModel, listModels, protocolOfCaller } from "./list-models.ts";
import { passOn } from "./pass-on.ts";

/** Everything a model client may ask of the gateway. */
export function gatewayRoutes(gateway: Gateway): Route[] {
  const anthropic = protocols["anthropic-messages"];
  const chat = protocols["openai-chat"];
  const responses = protocols["openai-responses"];
  return [
    turnRoute(gateway, "/v1/messages", anthropic),
    turnRoute(gateway, "/v1/chat/completions", chat),
    turnRoute(gateway, "/v1/responses", responses),
    countRoute(gateway, "/v1/messages/count_tokens", anthropic),
    countRoute(gateway, "/v1/responses/input_tokens", responses),
    {
      methods: ["POST"],
      path: "/v1/responses/compact",
      auth: "key",
      counts: true,
      encodeError: (error, head) => encodeProtocolError(responses, error, head),
      handle: (request, { identity }) => compactResponses(gateway, request, identity, responses),
    },
    {
      methods: ["GET", "HEAD"],
      path: "/v1/models",
      auth: "key",
      counts: false,
      encodeError: (error, head) => encodeProtocolError(protocolOfCaller(head.headers), error, head),
      handle: (request) => listModels(gateway, request),
    },
    {
      methods: ["GET", "HEAD"],
      path: "/v1/models/*",
      auth: "key",
      counts: false,
      encodeError: (error, head) => encodeProtocolError(protocolOfCaller(head.headers), error, head),
      handle: (request) => getModel(gateway, request, "/v1/models/"),
    },
    {
      // Claude Code reports events here and takes a 404 for a broken gateway.
      methods: ["POST"],
      path: "/api/event_logging/batch",
      auth: "key",
      counts: false,
      encodeError: (error, head) => encodeProtocolError(anthropic, error, head),
      handle: async (request) => {
        const { upTo, release } = gateway.load.holdBytes(0);
        try {
          await request.readBody(gateway.settings.maxBodyBytes, upTo);
        } finally {
          release();
        }
        return replyJson(200, {});
      },
    },
    {
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      path: "/v1/*",
      auth: "key",
      counts: true,
      encodeError: (error, head) => encodeProtocolError(protocolOfCaller(head.headers), error, head),
      bodies: "any",
      handle: (request, { identity }) => passOn(gateway, request, identity),
    },
  ];
}

function turnRoute(gateway: Gateway, path: string, protocol: Protocol): Route {
  return {
    methods: ["POST"],
    path,
    auth: "key",
    counts: true,
    bodies: "compressed-json",
    encodeError: (error, head) => encodeProtocolError(protocol, error, head),
    handle: (request, { identity }) => runTurn(gateway, request, identity, protocol),
  };
}

function countRoute(gateway: Gateway, path: string, protocol: Protocol): Route {
  return {
    methods: ["POST"],
    path,
    auth: "key",
    counts: false,
    bodies: "compressed-json",
    encodeError: (error, head) => encodeProtocolError(protocol, error, head),
    handle: (request, { identity }) => countRequest(gateway, request, identity, protocol),
  };
}
