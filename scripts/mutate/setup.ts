import fc from "fast-check";
import "../fixed-seed.ts";

// To make a counterexample small takes seconds, for each change that a property notices.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

/** Remembers until the next run of a test. */
class ForgetfulMap<Key extends object, Value> {
  #run = 0;
  #known = new WeakMap<Key, Value>();

  get(key: Key): Value | undefined {
    return this.#now().get(key);
  }

  has(key: Key): boolean {
    return this.#now().has(key);
  }

  set(key: Key, value: Value): this {
    this.#now().set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    return this.#now().delete(key);
  }

  #now(): WeakMap<Key, Value> {
    const run = (globalThis as { __run__?: number }).__run__ ?? 0;
    if (run !== this.#run) this.#known = new WeakMap();
    this.#run = run;
    return this.#known;
  }
}
Object.assign(globalThis, { __forgetful__: ForgetfulMap });

// All that runs while a module loads is run here, outside of every test.
for (const path of JSON.parse(process.env.MIDFOLD_MUTATE_FILES ?? "[]") as string[]) await import(path);
