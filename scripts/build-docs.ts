// `npm run docs:build`: the site of docs/, with the HTTP reference written from the server's own OpenAPI document.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeApi } from "../packages/server/src/site/describe-api.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Content {
  readonly [type: string]: { readonly schema?: Schema };
}

interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Every path of the server as a page: what it takes and what it gives, by group. */
export function renderHttpReference(): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const { paths, components } = describeApi(version) as unknown as Document;
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(method, path, operation)]);
    }
  }
  const sections = [...groups].map(([tag, operations]) => `## ${tag}\n\n${operations.join("\n")}`);
  const shapes = Object.entries(components.schemas)
    .filter(([, schema]) => schema.properties !== undefined)
    .map(([name, schema]) => `### ${name}\n\n${renderFields(schema)}`);
  return `# HTTP reference

Written from the document that \`GET /openapi.json\` answers with. What the gateway's endpoints take and give is described
by the providers whose protocols they speak.

${sections.join("\n")}
## Shapes

${shapes.join("\n")}`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const query = (operation.parameters ?? []).map(
    ({ name, in: place, required, schema, description }) =>
      `- \`${name}\` (${place}${required === true ? "" : ", optional"}): ${typeOf(schema)}${description === undefined ? "" : `. ${description}`}`,
  );
  const body = shapeOf(operation.requestBody?.content);
  const answers = Object.entries(operation.responses ?? {}).map(([status, { content }]) => {
    const shape = shapeOf(content);
    return `${status}${shape === undefined ? "" : ` ${shape}`}`;
  });
  const lines = [
    `### \`${method.toUpperCase()} ${path}\`\n`,
    `${operation.summary ?? ""}\n`,
    ...query,
    ...(body === undefined ? [] : [`- body: ${body}`]),
    ...(answers.length === 0 ? [] : [`- answers: ${answers.join(", ")}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function shapeOf(content: Content | undefined): string | undefined {
  const shapes = Object.entries(content ?? {}).map(
    ([type, { schema }]) => `${typeOf(schema)}${type === "application/json" ? "" : ` (${type})`}`,
  );
  return shapes.length === 0 ? undefined : shapes.join(" or ");
}

function renderFields({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${typeOf(schema).replaceAll("|", "\\|")}${required.includes(name) ? "" : ", optional"} | ${(schema.description ?? "").replaceAll("|", "\\|")} |`,
  );
  return `| field | type | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return "anything";
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  if (schema.type === undefined) return "anything";
  return [schema.type].flat().join(" or ");
}

/** Builds the site into a folder; dead links are errors. Returns what the builder printed when it failed. */
export function buildDocs(folder: string): string | undefined {
  writeFileSync(join(root, "docs/http-reference.md"), renderHttpReference());
  const program = join(root, "node_modules/vitepress/bin/vitepress.js");
  const args = [program, "build", join(root, "docs"), "--outDir", folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  return status === 0 ? undefined : `${stdout}${stderr}`;
}

if (import.meta.main) {
  const folder = join(root, "docs/.vitepress/dist");
  const problem = buildDocs(folder);
  console.log(problem ?? `The site is in ${folder}`);
  process.exitCode = problem === undefined ? 0 : 1;
}
