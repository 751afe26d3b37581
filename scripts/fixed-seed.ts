import fc from "fast-check";

/**
 * Generated inputs are the same in every run of the suite, so that a red run means a change and can be repeated.
 * `MIDFOLD_PROPERTY_SEED=random npx vitest run …` looks at others; a number repeats what it found.
 */
const asked = process.env.MIDFOLD_PROPERTY_SEED;
if (asked !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked ?? 20261115) });
