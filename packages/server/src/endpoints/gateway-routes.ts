import type { Message, MidfoldError } from "@midfold/core";
import { encodeCompaction, type Protocol, protocolPaths, protocols, readText } from "@midfold/wire";
import type { RequestHead } from "../http/create-listener.ts";
import type { HttpReply } from "../http/http-message.ts";
import { replyJson } from "../http/reply-json.ts";
import type { Route } from "../routing/create-site.ts";
import { compactMessages } from "../turn/compact-turn.ts";
import { countTurn } from "../turn/count-turn.ts";
import type { Gateway } from "../turn/gateway.ts";
import { receiveTurn } from "../turn/receive-turn.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { Turn } from "../turn/turn.ts";
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
    compactRoute(gateway, "/v1/responses/compact", responses),
    {
      methods: ["GET", "HEAD"],
      path: "/v1/models",
      auth: "key",
      counts: false,
      encodeError: (error, head) => encodeProtocolError(protocolOfCaller(head.headers), error, head),
      handle: (request, { identity }) => listModels(gateway, request, identity),
    },
    {
      methods: ["GET", "HEAD"],
      path: "/v1/models/*",
      auth: "key",
      counts: false,
      encodeError: (error, head) => encodeProtocolError(protocolOfCaller(head.headers), error, head),
      handle: (request, { identity }) => getModel(gateway, request, identity, "/v1/models/"),
    },
    {
      // Claude Code reports events here and treats a 404 as a broken gateway.
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
    ...postRoute(path, protocol),
    counts: true,
    bodies: "compressed-json",
    handle: (request, { identity }) => runTurn(gateway, request, identity, protocol),
  };
}

/**
 * The token counting endpoints: the size of the request as the client would send it, before any fold, by the calibrated
 * counter. Answered here and never 0: clients use it to decide when to compact, and some ask fifty times a second.
 */
function countRoute(gateway: Gateway, path: string, protocol: Protocol): Route {
  return {
    ...postRoute(path, protocol),
    counts: false,
    bodies: "compressed-json",
    handle: answerReceived(gateway, protocol, async (turn) => {
      const isKeptThere = protocol.body.stored !== undefined && turn.destination.protocol.body.stored !== undefined;
      if (!isKeptThere) protocol.body.assertConversation?.(turn.body.value);
      return replyJson(200, protocol.encodeTokenCount(await countTurn(gateway, turn)));
    }),
  };
}

/**
 * `/v1/responses/compact`: the conversation as a few items that replace it. An upstream that has the endpoint answers
 * it itself; for all others the summary is written here, by the route's model, or as a digest when that fails.
 */
function compactRoute(gateway: Gateway, path: string, protocol: Protocol): Route {
  return {
    ...postRoute(path, protocol),
    counts: true,
    handle: answerReceived(
      gateway,
      protocol,
      async (turn) => (await askUpstream(turn)) ?? (await compactHere(gateway, turn)),
    ),
  };
}

const postRoute = (path: string, protocol: Protocol) => ({
  methods: ["POST"],
  path,
  auth: "key" as const,
  encodeError: (error: MidfoldError, head: RequestHead) => encodeProtocolError(protocol, error, head),
});

/** Reads the request, answers it here and releases the memory reserved for its body. */
function answerReceived(
  gateway: Gateway,
  protocol: Protocol,
  answer: (turn: Turn) => Promise<HttpReply>,
): Route["handle"] {
  return async (request, { identity }) => {
    const { turn, release } = await receiveTurn(gateway, request, identity, protocol);
    try {
      return await answer(turn);
    } finally {
      release();
    }
  };
}

/** Kept word for word: the newest messages of the user up to this many tokens. */
const keptTokens = 20_000;
const maxAnswerBytes = 16 * 1024 * 1024;
/** Answers of a server that does not have this endpoint. */
const absent: ReadonlySet<number> = new Set([404, 405, 501]);

async function askUpstream(turn: Turn): Promise<HttpReply | undefined> {
  const { destination, body, request, identity } = turn;
  const path = protocolPaths[destination.protocol.name].compact;
  if (!turn.sameProtocol || path === undefined || destination.demo === true) return undefined;
  const response = await destination.send(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: body.bytes,
      signal: request.signal,
    },
    identity.providerKey,
  );
  const text = await readText(response.body, maxAnswerBytes);
  if (absent.has(response.status)) return undefined;
  return { status: response.status, headers: { "content-type": "application/json" }, body: text };
}

async function compactHere(gateway: Gateway, turn: Turn): Promise<HttpReply> {
  const { protocol, body, destination, identity, request } = turn;
  const counter = gateway.counterFor(destination.countAs, identity);
  const messages = protocol.format.decode(protocol.body.messagesOf(body.value));
  const { sealed, usage } = await compactMessages(gateway, turn, { withoutLast: false });
  return replyJson(
    200,
    encodeCompaction({
      id: `resp_${request.id.slice("req_".length)}`,
      createdAt: Math.floor(gateway.now() / 1000),
      kept: newestOfUser(messages, (message) => counter.countMessage(message)),
      sealed,
      usage,
    }),
  );
}

/** Whole messages, newest first until the room is used up, in their old order. */
function newestOfUser(messages: readonly Message[], weigh: (message: Message) => number): unknown[] {
  const kept: unknown[] = [];
  let room = keptTokens;
  for (const message of messages.toReversed()) {
    if (message.role !== "user" || message.pinned === true) continue;
    room -= weigh(message);
    if (room < 0) break;
    kept.unshift(message.source);
  }
  return kept;
}
