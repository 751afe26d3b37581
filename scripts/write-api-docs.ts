// `npm run docs:api`: docs/api, one page per entry of the library, from the doc comments of what it exports.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Exported {
  readonly name: string;
  readonly as: string;
  readonly file: string;
}

/** Every page by its name, without the extension. */
export function writeApiPages(): Map<string, string> {
  const pages = new Map<string, string>();
  const index: string[] = [];
  for (const folder of ["core", "adapters"]) {
    const base = join(root, "packages", folder);
    const { name, exports } = JSON.parse(readFileSync(join(base, "package.json"), "utf8")) as {
      name: string;
      exports: Record<string, string>;
    };
    for (const [entry, path] of Object.entries(exports)) {
      const specifier = entry === "." ? name : `${name}/${entry.slice(2)}`;
      const page = entry === "." ? folder : `${folder}-${entry.slice(2)}`;
      const file = join(base, path);
      const listed = exportsOf(file).map((item) => ({ ...item, declared: declarationOf(item) }));
      const known = listed.flatMap(({ as, declared }) => (declared === undefined ? [] : [{ as, ...declared }]));
      const values = known.filter(({ isType }) => !isType).sort(byName);
      const types = known.filter(({ isType }) => isType).sort(byName);
      const about = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, "utf8"))?.[1];
      const parts = [`# ${specifier}`, ...(about === undefined ? [] : [plain(about)])];
      for (const [title, items] of [
        ["Functions and values", values],
        ["Types", types],
      ] as const) {
        if (items.length === 0) continue;
        parts.push(`## ${title}`);
        for (const { as, text, comment } of items) {
          parts.push(`### ${as}`, ...(comment === "" ? [] : [plain(comment)]), `\`\`\`ts\n${text}\n\`\`\``);
        }
      }
      pages.set(page, `${parts.join("\n\n")}\n`);
      index.push(`| [\`${specifier}\`](${page}.md) | ${values.map(({ as }) => `\`${as}\``).join(", ")} |`);
    }
  }
  const head = "# API reference\n\nWritten by `npm run docs:api` from the doc comments of the source.\n";
  pages.set("index", `${head}\n| entry | values |\n| --- | --- |\n${index.join("\n")}\n`);
  return pages;
}

const byName = (a: { readonly as: string }, b: { readonly as: string }) => a.as.localeCompare(b.as, "en");

/** What a file exports: by re-export, and what it declares itself. */
function exportsOf(file: string): Exported[] {
  const source = readFileSync(file, "utf8");
  const found: Exported[] = [];
  for (const [, names = "", from = ""] of source.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)) {
    for (const item of names.split(",").map((text) => text.trim().replace(/^type /, ""))) {
      const [name = "", as = name] = item.split(" as ");
      if (name !== "") found.push({ name, as, file: join(dirname(file), from) });
    }
  }
  for (const [, from = ""] of source.matchAll(/export \* from "([^"]+)"/g))
    found.push(...exportsOf(join(dirname(file), from)));
  for (const [, name = ""] of source.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)) {
    found.push({ name, as: name, file });
  }
  return found;
}

/** A declaration with its doc comment; a function without its body, a class or a table without what is inside. */
function declarationOf({ name, file }: Exported): { isType: boolean; text: string; comment: string } | undefined {
  const source = readFileSync(file, "utf8");
  const again = new RegExp(`export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(source);
  const start = new RegExp(
    `^(?:export )?(?:async )?(?:abstract )?(function|const|class|interface|type) ${name}\\b`,
    "m",
  ).exec(source);
  if (start === null)
    return again === null ? undefined : declarationOf({ name, as: name, file: join(dirname(file), again[1] ?? "") });
  const kind = start[1];
  const rest = source.slice(start.index);
  const before = source.slice(0, start.index).trimEnd();
  const comment = before.endsWith("*/") ? before.slice(before.lastIndexOf("/**") + 3, -2) : "";
  const isType = kind === "interface" || kind === "type";
  const end = isType ? endOfType(rest, kind) : kind === "const" ? rest.search(/ = |;/) : rest.search(/ \{\n/);
  const text = rest
    .slice(0, end < 0 ? 200 : end)
    .replace(/^export /, "")
    .trim();
  return { isType, text, comment };
}

function endOfType(rest: string, kind: string): number {
  if (kind === "interface") return rest.search(/^\}/m) + 1;
  return rest.search(/;\n(?=\n|$|export|\/\*\*)/) + 1;
}

/** A comment without its stars; angle brackets and braces outside of code would be taken for tags by the site. */
function plain(comment: string): string {
  const [text = "", ...examples] = comment.replaceAll(/^[ \t]*\*? ?/gm, "").split(/^@example\s+/m);
  const words = text
    .trim()
    .replaceAll(/`[^`]*`|[<{}]/g, (found) => (found.length > 1 ? found : `\\${found}`))
    .replaceAll("\\{", "&#123;")
    .replaceAll("\\}", "&#125;")
    .replaceAll("\\<", "&lt;");
  return [words, ...examples.map((example) => `Example:\n\n\`\`\`ts\n${example.trim()}\n\`\`\``)].join("\n\n");
}

if (import.meta.main) {
  const folder = join(root, "docs/api");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = writeApiPages();
  for (const [name, text] of pages) writeFileSync(join(folder, `${name}.md`), text);
  console.log(`docs/api: ${pages.size} pages`);
}
