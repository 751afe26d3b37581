import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInstrumenter, type Instrumenter } from "@stryker-mutator/instrumenter";

/** One change of one place. */
export interface Mutant {
  id: string;
  /** The file, from the root of the repository. */
  path: string;
  line: number;
  column: number;
  /** What kind of change, in Stryker's words. */
  kind: string;
  replacement: string;
}

/** The files of a scope (`core/src/budget`, `core/src/compact/compact.ts`), with all their changes in them, each behind a switch. */
export async function instrument(root: string, scope: readonly string[]) {
  const names = scope
    .flatMap((part) => globSync(part.endsWith(".ts") ? `packages/${part}` : `packages/${part}/**/*.ts`, { cwd: root }))
    .filter((name) => !/\.(test|test-data|gen|d)\.ts$/.test(name))
    .sort();
  const files = names.map((name) => ({
    name: join(root, name),
    mutate: true,
    content: readFileSync(join(root, name), "utf8"),
  }));
  const quiet = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  // Stryker's injector, as far as its instrumenter asks for it.
  const provided = new Map<string, unknown>([["logger", quiet]]);
  const injector = {
    provideValue(token: string, value: unknown) {
      provided.set(token, value);
      return injector;
    },
    injectClass: (Class: { inject: string[]; new (...args: unknown[]): Instrumenter }) =>
      new Class(...Class.inject.map((token) => provided.get(token))),
  };
  const instrumenter = createInstrumenter(injector as never);
  const options = { plugins: null, excludedMutations: [], ignorers: [], mode: "auto" };
  const { files: written, mutants } = await instrumenter.instrument(files, options as never);
  return {
    sources: new Map(written.map(({ name, content }) => [name, content])),
    mutants: mutants.map(
      ({ id, fileName, location, mutatorName, replacement }): Mutant => ({
        id,
        path: fileName.slice(root.length).replace(/^\//, ""),
        line: location.start.line + 1,
        column: location.start.column + 1,
        kind: mutatorName,
        replacement,
      }),
    ),
  };
}
