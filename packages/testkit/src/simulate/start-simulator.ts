import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicProtocol } from "./anthropic/anthropic-protocol.ts";
import { chatProtocol } from "./chat/chat-protocol.ts";
import { type Exchange, sendJson } from "./exchange.ts";
import { handleRequest, type SimulatorState } from "./handle-request.ts";
import { createPrefixCache } from "./prefix-cache.ts";
import type { Protocol, Purpose } from "./protocol.ts";
import { responsesProtocol } from "./responses/responses-protocol.ts";
import { sendProblem } from "./send-answer.ts";
import type { RecordedConnection, RecordedRequest, Simulator, SimulatorOptions } from "./simulator.ts";

const protocols: readonly Protocol[] = [anthropicProtocol, chatProtocol, responsesProtocol];

/** Starts a strict stand-in for a provider on 127.0.0.1. Close it when done. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const spoken = [options.protocol].flat();
  const served = protocols.filter((protocol) => spoken.includes(protocol.name));
  const requests: RecordedRequest[] = [];
  const connections: RecordedConnection[] = [];
  const connectionOf = new WeakMap<Socket, RecordedConnection>();
  const state: SimulatorState = {
    options,
    script: options.script ?? (() => ({ text: "ok" })),
    counts: {
      requests: 0,
      answered: 0,
      overflows: 0,
      truncated: 0,
      invalid: 0,
      faults: 0,
      aborted: 0,
      countRequests: 0,
    },
    memory: { thoughtsByCall: new Map(), responses: new Map() },
    prefixes: createPrefixCache(),
    faults: [],
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const raw = await readBody(request, (options.maxBodyBytes ?? 32 * 1024 * 1024) + 1);
    const recorded = record(request, raw, requests.length, connectionOf.get(request.socket)?.id ?? -1);
    requests.push(recorded);
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished && recorded.outcome.finishedAt === undefined) {
        recorded.outcome.abortedAt = performance.now();
        state.counts.aborted += 1;
      }
      gone.abort();
    });
    await route({ request, response, recorded, gone: gone.signal }, served, state);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(request, response).catch((error) => {
      // A script that throws is a mistake in the test: say so where the client will show it.
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(`simulator: ${error instanceof Error ? error.stack : String(error)}`);
    });
  });
  server.on("connection", (socket) => {
    const connection: RecordedConnection = { id: connections.length, openedAt: performance.now() };
    connections.push(connection);
    connectionOf.set(socket, connection);
    socket.on("close", () => {
      connection.closedAt = performance.now();
    });
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const simulator: Simulator = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections,
    counts: state.counts,
    failNext(fault, times = 1) {
      for (let left = times; left > 0; left--) state.faults.push(fault);
    },
    setScript(script) {
      state.script = script;
    },
    setWindow(window) {
      const { window: _, ...rest } = state.options;
      state.options = window === undefined ? rest : { ...rest, window };
    },
    async waitFor(condition, timeoutMs = 10_000) {
      const deadline = performance.now() + timeoutMs;
      while (!condition(simulator)) {
        if (performance.now() > deadline) {
          throw new Error(`simulator: waited ${timeoutMs} ms in vain; counts ${JSON.stringify(state.counts)}`);
        }
        await sleep(5);
      }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return simulator;
}

/** Reads the body, up to the limit; what lies beyond is thrown away unread. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length < limit) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

function record(request: IncomingMessage, raw: Buffer, index: number, connection: number): RecordedRequest {
  let body: unknown;
  try {
    body = JSON.parse(raw.toString("utf8"));
  } catch {
    body = undefined;
  }
  return {
    index,
    receivedAt: performance.now(),
    connection,
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    raw,
    body,
    outcome: {},
  };
}

async function route(exchange: Exchange, served: readonly Protocol[], state: SimulatorState): Promise<void> {
  const { method, path } = exchange.recorded;
  const bare = path.replace(/\?.*$/, "").replace(/(.)\/$/, "$1");
  const found = served.flatMap((protocol) => {
    const purpose = protocol.route(method, bare);
    return purpose === undefined ? [] : [{ protocol, purpose }];
  })[0];
  if (found === undefined) {
    const [first = chatProtocol] = served;
    return sendProblem(exchange, first, {
      status: 404,
      type: "not_found_error",
      message: `Invalid URL (${method} ${bare})`,
    });
  }
  const { protocol, purpose } = found;
  if (isAboutModels(purpose)) return sendModels(exchange, state, protocol, bare);
  return handleRequest(exchange, state, { protocol, purpose });
}

const isAboutModels = (purpose: Purpose): purpose is "models" | "model" => purpose === "models" || purpose === "model";

async function sendModels(
  exchange: Exchange,
  { options }: SimulatorState,
  protocol: Protocol,
  path: string,
): Promise<void> {
  const ids = options.models ?? ["sim-model"];
  const id = decodeURIComponent(path.slice("/v1/models/".length));
  if (path === "/v1/models") return sendJson(exchange, 200, protocol.modelList(ids, options), protocol.errorHeaders());
  if (options.models === undefined || ids.includes(id)) {
    return sendJson(exchange, 200, protocol.modelBody(id, options), protocol.errorHeaders());
  }
  const message = `The model \`${id}\` does not exist`;
  return sendProblem(exchange, protocol, { status: 404, type: "not_found_error", message, code: "model_not_found" });
}
