import { invalid, type Problem } from "./problem.ts";

/** The stock sentences of OpenAI's validator, shared by its two protocols. */
export const missing = (param: string): Problem =>
  invalid(`Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });

export const wrongType = (param: string, expected: string, value: unknown): Problem =>
  invalid(`Invalid type for '${param}': expected ${expected}, but got ${describe(value)} instead.`, {
    param,
    code: "invalid_type",
  });

export const unknownParameter = (param: string): Problem =>
  invalid(`Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });

export const emptyArray = (param: string): Problem =>
  invalid(`Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`, {
    param,
    code: "empty_array",
  });

export const longArray = (param: string, limit: number, length: number): Problem =>
  invalid(
    `Invalid '${param}': array too long. Expected an array with maximum length ${limit}, but got an array with length ${length} instead.`,
    { param, code: "array_above_max_length" },
  );

export const longString = (param: string, limit: number, length: number): Problem =>
  invalid(
    `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
    { param, code: "string_above_max_length" },
  );

export const patternMismatch = (param: string, pattern: string): Problem =>
  invalid(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    {
      param,
      code: "invalid_value",
    },
  );

export const notSupported = (param: string, value: string, supported: readonly string[]): Problem =>
  invalid(`Invalid value: '${value}'. Supported values are: ${listed(supported)}.`, { param, code: "invalid_value" });

function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(" and ");
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  const names: Record<string, string> = {
    object: "an object",
    number: "an integer",
    string: "a string",
    boolean: "a boolean",
  };
  return names[typeof value] ?? typeof value;
}

/** A function name, in a call or in a tool. */
export function checkFunctionName(name: string, param: string): Problem | undefined {
  if (name.length > 64) return longString(param, 64, name.length);
  return /^[a-zA-Z0-9_-]+$/.test(name) ? undefined : patternMismatch(param, "^[a-zA-Z0-9_-]+$");
}
