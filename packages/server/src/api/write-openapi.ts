import { z } from "zod";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { problemSchema } from "./problem.ts";

type Json = Record<string, unknown>;

export interface OpenapiOptions {
  readonly version: string;
  /** Where the routes are mounted. */
  readonly basePath?: string;
  /** Operations beside the chat's own. */
  readonly further?: Readonly<Record<string, Operation>>;
}

/** The OpenAPI 3.1 document of the chat API, written from the same schemas the router validates by. */
export function writeOpenapi({ version, basePath = "/api", further = {} }: OpenapiOptions): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const [operationId, operation] of Object.entries<Operation>({ ...operations, ...further })) {
    const path = `${basePath}${operation.path}`;
    paths[path] ??= {};
    paths[path][operation.method] = describe(operationId, operation, schemas);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Midfold chat API", version, license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: { schemas },
  };
}

function describe(operationId: string, operation: Operation, schemas: Json): Json {
  const success = String(operation.status ?? 200);
  const content: Json = {};
  if (operation.response !== undefined) {
    content["application/json"] = { schema: reference(operation.response, "output", schemas) };
  }
  if (operation.events !== undefined) {
    content["text/event-stream"] = { schema: reference(operation.events, "output", schemas) };
  }
  if (operation.file === true) content["text/markdown"] = { schema: { type: "string" } };
  const problem = { "application/problem+json": { schema: reference(problemSchema, "output", schemas) } };
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    parameters: [...pathParameters(operation.path), ...queryParameters(operation.query, schemas)],
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: reference(operation.body, "input", schemas) } },
          },
        }),
    responses: {
      [success]: { description: operation.summary, ...(Object.keys(content).length > 0 ? { content } : {}) },
      default: { description: "A problem (RFC 9457)", content: problem },
    },
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined, schemas: Json): Json[] {
  if (query === undefined) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: reference(schema as z.ZodType, "input", schemas),
  }));
}

/** Named schemas go into `components` once; the document points at them. */
function reference(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const {
    $defs = {},
    $schema: _,
    ...root
  } = z.toJSONSchema(schema, { io, target: "draft-2020-12", unrepresentable: "any" }) as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) schemas[name] ??= pointToComponents(definition);
  const id = schema.meta()?.id;
  if (id === undefined) return pointToComponents(root) as Json;
  schemas[id] ??= pointToComponents(root);
  return { $ref: `#/components/schemas/${id}` };
}

function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      if (key === "id" && typeof entry === "string") return [];
      if (key === "$ref" && typeof entry === "string")
        return [[key, entry.replace("#/$defs/", "#/components/schemas/")]];
      return [[key, pointToComponents(entry)]];
    }),
  );
}
