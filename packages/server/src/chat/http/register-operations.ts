import { MidfoldError } from "@midfold/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../../api/operation.ts";
import { type OperationName, operations } from "../../api/operations.ts";
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
    refuseUnknown(operation.query ?? nothing, asked, "query");
    const sent = await readJson(c, operation.body ?? nothing);
    refuseUnknown(operation.body ?? nothing, sent, "body");
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

/** What operations without a query or a body take. */
const nothing = z.object({});

/** Throws where an object has a field that its schema does not name: left out, it would do something else than was asked. */
function refuseUnknown(schema: z.core.$ZodType, value: unknown, path: string): void {
  const { def } = schema._zod as { def: Inner };
  if (typeof value !== "object" || value === null) return;
  if (def.innerType !== undefined) refuseUnknown(def.innerType, value, path);
  if (def.element !== undefined && Array.isArray(value)) {
    for (const [index, inner] of value.entries()) refuseUnknown(def.element, inner, `${path}.${index}`);
  }
  const { discriminator, options } = def;
  if (discriminator !== undefined && options !== undefined) {
    const kind = (value as Readonly<Record<string, unknown>>)[discriminator];
    const kindsOf = ({ _zod }: z.core.$ZodType) => [...(_zod.propValues?.[discriminator] ?? [])];
    const option = options.find((one) => kindsOf(one).some((known) => known === kind));
    // Refused at the first: a check of all of 100,000 wrong parts held the event loop for a second and a half.
    if (option === undefined) {
      const kinds = options.flatMap(kindsOf).join(", ");
      throw new MidfoldError("VALIDATION_ERROR", `${path}.${discriminator}: must be one of ${kinds}.`);
    }
    refuseUnknown(option, value, path);
  }
  if (def.shape === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    if (known === undefined) {
      const names = Object.keys(def.shape).join(", ");
      throw new MidfoldError(
        "VALIDATION_ERROR",
        `${path}.${name}: there is no such field${names === "" ? "" : `; there are ${names}`}.`,
      );
    }
    refuseUnknown(known, inner, `${path}.${name}`);
  }
}

/** A schema's parts, as far as requests have them: optional and default, lists, choices by a field, objects. */
interface Inner {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly discriminator?: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

async function readJson(c: Context<{ Bindings: ChatBindings }>, schema: z.ZodType): Promise<unknown> {
  if (c.env?.json !== undefined) return c.env.json;
  const text = await c.req.text();
  // An empty body means the defaults, where there are defaults for every field.
  if (text.trim() === "") return schema.safeParse({}).success ? {} : undefined;
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
