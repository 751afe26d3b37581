// Writes src/api/types.gen.ts from the server's OpenAPI document: `node packages/web/scripts/write-api-types.ts`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeApi } from "../../server/src/site/describe-api.ts";

type Schema = { readonly [key: string]: unknown };

interface PathOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const target = fileURLToPath(new URL("../src/api/types.gen.ts", import.meta.url));

function toType(schema: Schema | boolean | undefined): string {
  if (schema === undefined || typeof schema === "boolean") return "unknown";
  const list = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (list !== undefined) return list.map(toType).join(" | ");
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1) ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema.const);
  const choices = schema.enum as unknown[] | undefined;
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  const all = schema.allOf as Schema[] | undefined;
  if (all !== undefined) return all.map((part) => `(${toType(part)})`).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => toType({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array": {
      const tuple = schema.prefixItems as Schema[] | undefined;
      if (tuple !== undefined) return `readonly [${tuple.map(toType).join(", ")}]`;
      return `readonly (${toType(schema.items as Schema)})[]`;
    }
    case "object":
      return toObject(schema);
    default:
      return "unknown";
  }
}

function toObject(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (properties === undefined) {
    return `Readonly<Record<string, ${toType(schema.additionalProperties as Schema | undefined)}>>`;
  }
  const required = new Set(schema.required as string[] | undefined);
  const fields = Object.entries(properties).map(([name, field]) => {
    const note = typeof field.description === "string" ? `/** ${field.description} */ ` : "";
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${note}readonly ${key}${required.has(name) ? "" : "?"}: ${toType(field)}${required.has(name) ? "" : " | undefined"};`;
  });
  return `{ ${fields.join(" ")} }`;
}

/** The file's text, for this script and for the test that it is up to date. */
export function writeApiTypes(): string {
  const { components, paths } = describeApi("0") as {
    components: { schemas: Record<string, Schema> };
    paths: Record<string, Record<string, PathOperation>>;
  };
  const types = Object.entries(components.schemas)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${toType(schema)};`);
  // The console's schemas have no names, so they are named after their operation.
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations.filter(({ tags }) => tags.includes("console"))) {
    const { content } = operation.responses["200"] ?? {};
    const schema = (content?.["application/json"] ?? content?.["text/event-stream"])?.schema;
    const name = `${operation.operationId.charAt(0).toUpperCase()}${operation.operationId.slice(1)}Result`;
    if (schema !== undefined) types.push(`export type ${name} = ${toType(schema)};`);
  }
  return `// Written by scripts/write-api-types.ts from the server's schemas. Do not edit.\n\n${types.join("\n\n")}\n`;
}

export const isCurrent = (): boolean => readFileSync(target, "utf8") === writeApiTypes();

if (import.meta.main) writeFileSync(target, writeApiTypes());
