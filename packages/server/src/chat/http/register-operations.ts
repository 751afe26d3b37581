import { MidfoldError } from "@midfold/core";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import type { Operation } from "../../api/operation.ts";
import { type OperationName, operations } from "../../api/operations.ts";
import { refuseUnknown } from "../../api/refuse-unknown.ts";
import { type ChatServer, chatOf } from "../chat.ts";
import type { Call, Caller, Handlers } from "./handler.ts";
import { problemResponse, toProblem, toValidationProblem } from "./write-problem.ts";

/** Whose data a request may touch; set by the caller that authenticates, as the second argument of `fetch`. */
export interface ChatBindings {
  readonly owner?: string;
  readonly caller?: Caller;
  /** The parsed body, where a long one was already read. */
  readonly json?: unknown;
}

/** For calls within the process and in tests. */
const self: Caller = { admin: true, keyId: undefined, reserveTokens: () => undefined };

export type ChatApp = Hono<{ Bindings: ChatBindings }>;

/** Puts every operation of the table on the router: read, check, call its handler, write what it returns. */
export function registerOperations(app: ChatApp, server: ChatServer, handlers: Handlers): void {
  // Fixed paths first, or `/sessions/import` would be taken for a session called "import".
  const names = (Object.keys(operations) as OperationName[]).toSorted(
    (a, b) => parameters(operations[a].path) - parameters(operations[b].path),
  );
  for (const name of names) {
    const operation: Operation = operations[name];
    const handler = handlers[name] as unknown as (call: Call) => Promise<unknown>;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method.toUpperCase(), path, (c) => answer(c, server, operation, handler));
  }
  app.notFound((c) => problemResponse(toProblem(new MidfoldError("NOT_FOUND", `There is no ${c.req.path} here.`))));
}

async function answer(
  c: Context<{ Bindings: ChatBindings }>,
  server: ChatServer,
  operation: Operation,
  handler: (call: Call) => Promise<unknown>,
): Promise<Response> {
  try {
    // Before the rest is checked: of a required field that is misspelt, this names what was sent.
    const asked = c.req.query();
    refuseUnknown(operation.query, asked, "query");
    const sent = await readJson(c, operation.body);
    refuseUnknown(operation.body, sent, "body");
    const query = operation.query?.safeParse(asked);
    if (query?.success === false) return problemResponse(toValidationProblem(query.error, "query"));
    const body = operation.body?.safeParse(sent);
    if (body?.success === false) return problemResponse(toValidationProblem(body.error, "body"));
    const caller = c.env?.caller ?? self;
    const chat = await chatOf(server, c.env?.owner ?? "local", caller.reserveTokens);
    const result = await handler({
      chat,
      store: chat.store,
      caller,
      params: c.req.param() as Record<never, string>,
      query: query?.data as undefined,
      body: body?.data as undefined,
      signal: c.req.raw.signal,
      headers: c.req.raw.headers,
    });
    if (result instanceof Response) return result;
    if (result === undefined) return new Response(null, { status: 204 });
    return Response.json(result, { status: operation.status ?? 200 });
  } catch (error) {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      const facts = { method: c.req.method, path: c.req.path, code: problem.code };
      server.log.error({ err: error, ...facts }, "chat request failed");
    }
    return problemResponse(problem);
  }
}

async function readJson(c: Context<{ Bindings: ChatBindings }>, schema: z.ZodType | undefined): Promise<unknown> {
  if (c.env?.json !== undefined) return c.env.json;
  const text = await c.req.text();
  // An empty body means the defaults, where there are defaults for every field.
  if (text.trim() === "") return schema?.safeParse({}).success === false ? undefined : {};
  const type = c.req.header("content-type") ?? "";
  if (!type.includes("json")) {
    throw new MidfoldError("UNSUPPORTED_MEDIA_TYPE", "Send the body as content-type: application/json.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new MidfoldError("VALIDATION_ERROR", "The request body is not valid JSON.");
  }
}

const parameters = (path: string): number => path.split("{").length;
