import fc from "fast-check";
import "../fixed-seed.ts";

// To make a counterexample small takes seconds, for each change that a property notices.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

// All that runs while a module loads is run here, outside of every test.
for (const path of JSON.parse(process.env.MIDFOLD_MUTATE_FILES ?? "[]") as string[]) await import(path);
