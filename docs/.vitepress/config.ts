import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const page = (text: string, link: string) => ({ text, link });
const docs = fileURLToPath(new URL("..", import.meta.url));
const exists = ({ link }: { readonly link: string }) =>
  [`${docs}${link}.md`, `${docs}${link}/index.md`, `${docs}${link}/README.md`, `${docs}${link}index.md`].some((path) =>
    existsSync(path),
  );

const groups = [
  {
    text: "Doors",
    items: [
      page("Overview", "/"),
      page("Gateway", "/gateway"),
      page("Library", "/library"),
      page("Chat app and console", "/web-app"),
      page("Command", "/command"),
    ],
  },
  {
    text: "Presets",
    items: [
      page("Overview", "/context-strategies"),
      ...["agent", "proxy", "chat", "sandwich", "compact", "full-history"].map((name) =>
        page(name, `/presets/${name}`),
      ),
    ],
  },
  {
    text: "Running it",
    items: [page("Configuration", "/configuration"), page("Scaling", "/scaling"), page("Upgrading", "/upgrading")],
  },
  {
    text: "Choosing",
    items: [page("Compared with others", "/comparison"), page("Coming from another trimmer", "/migrating")],
  },
  {
    text: "Measured",
    items: [
      page("Fidelity", "/fidelity"),
      page("Performance", "/performance"),
      page("Token accounting", "/token-accounting"),
    ].filter(exists),
  },
  {
    text: "Reference",
    items: [
      page("API of the library", "/api/"),
      page("HTTP", "/http-reference"),
      page("Chat API", "/chat-api"),
      page("What crosses the wire", "/wire-compatibility"),
      page("Errors", "/errors"),
      page("Decisions", "/decisions/"),
      page("Requirements", "/requirements"),
    ].filter(exists),
  },
];

/** Pages that nobody has put into a group yet: better at the end than nowhere. */
function others(groups: readonly { readonly items: readonly { readonly link: string }[] }[]) {
  const known = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link.slice(1))));
  return readdirSync(docs)
    .filter((name) => name.endsWith(".md") && name !== "index.md" && !known.has(name.slice(0, -3)))
    .map((name) =>
      page(/^# (.+)$/m.exec(readFileSync(`${docs}${name}`, "utf8"))?.[1] ?? name, `/${name.slice(0, -3)}`),
    );
}

/** The pages of docs/, as a site: `npm run docs:build` writes it to docs/.vitepress/dist. */
export default defineConfig({
  title: "Midfold",
  description: "Keeps long LLM conversations inside the model's context window",
  cleanUrls: true,
  rewrites: { "decisions/README.md": "decisions/index.md" },
  // Links to sources lead out of the site.
  ignoreDeadLinks: [/localhost/, /packages\/|examples\/|deploy\/|bench\//, /\/[A-Z_]{4,}$/],
  themeConfig: {
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: "https://github.com/midfold/midfold" }],
    outline: [2, 3],
    sidebar: [...groups, { text: "More", items: others(groups) }],
  },
});
