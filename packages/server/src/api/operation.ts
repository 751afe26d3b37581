import type { z } from "zod";

/** One endpoint as data: the router validates by it, and the OpenAPI document is written from it. */
export interface Operation {
  readonly method: "get" | "post" | "patch" | "put" | "delete";
  /** Below the mount point (`/api`), with `{name}` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Absent: no content. */
  readonly response?: z.ZodType;
  readonly status?: 200 | 201 | 202 | 204;
  /** The answer is a stream of server-sent events of this shape (instead of, or beside, `response`). */
  readonly events?: z.ZodType;
  /** The answer is a file rather than JSON. */
  readonly file?: true;
  /** Asks a model, or works for long: it counts against the requests that the caller's key may make. */
  readonly counts?: true;
}
