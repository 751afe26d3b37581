import { accessKey } from "./access-key.ts";
import { ApiError } from "./api-error.ts";
import type { Problem } from "./types.gen.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string;
}

/** Calls the server below `/api`; rejects with `ApiError` when it answers with a problem. */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const { query, body, signal, accept = "application/json" } = options;
  const key = accessKey.get();
  const response = await fetch(`/api${path}${toSearch(query)}`, {
    method,
    headers: {
      accept,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  if (response.status === 401) accessKey.refused();
  throw new ApiError(await readProblem(response));
}

export async function request<TResult>(method: Method, path: string, options: RequestOptions = {}): Promise<TResult> {
  const response = await send(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as TResult;
}

/** Path segments with each `value` encoded: path\`/sessions/${id}\`. */
export function path(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.reduce((all, part, index) => `${all}${encodeURIComponent(values[index - 1] ?? "")}${part}`);
}

function toSearch(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.detail === "string") return problem as Problem;
  } catch {
    // The answer of a proxy in between, perhaps, and not the server's JSON.
  }
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `The server answered ${response.status}${text === "" ? "" : `: ${text.slice(0, 200)}`}.`,
    code: "UNKNOWN",
    retryable: response.status >= 500,
  };
}
