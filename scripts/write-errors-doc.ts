// Writes docs/errors.md from the error catalogue: `node scripts/write-errors-doc.ts`. A test keeps the two equal.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorCatalogue } from "@midfold/core";

export const errorsDocPath = fileURLToPath(new URL("../docs/errors.md", import.meta.url));

export function renderErrorsDoc(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, retryable, meaning, remedy }]) =>
      `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${cell(meaning)} | ${cell(remedy)} |`,
  );
  return `# Errors

Every error Midfold raises is a \`MidfoldError\` with one of these codes; over HTTP the code is in the body and the status
is the one below. *Retryable* says whether the same call may succeed later. This page is written by
\`node scripts/write-errors-doc.ts\` from \`packages/core/src/errors/catalogue.ts\`.

| code | status | retryable | what it means | what to do |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(errorsDocPath, renderErrorsDoc());
