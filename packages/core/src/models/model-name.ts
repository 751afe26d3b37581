import { MidfoldError } from "../errors/midfold-error.ts";

/**
 * The many spellings of one model. Gateways put providers in front (`openrouter/anthropic/claude-3.5-sonnet`), clouds
 * put regions (`us.anthropic.claude-…-v2:0`) and dates (`claude-…@20240620`), marketplaces add variants (`:free`), and
 * Claude Code adds the window it wants (`[1m]`). All of it is cut here and nowhere else.
 */
export interface ModelName {
  /** Lower case, nothing cut. */
  readonly full: string;
  /** Without prefixes, variants and window marks: `claude-3.5-sonnet`. */
  readonly bare: string;
  /** `bare` with dots as dashes, then the same with revision, date or `-latest` cut, one by one: keys of the table. */
  readonly keys: readonly string[];
  /** The outermost prefix that names a provider: `openrouter`, `anthropic`. */
  readonly providers: readonly string[];
  readonly variant?: string;
  /** A window stated in the name itself, as in `claude-sonnet-4-5[1m]`. */
  readonly statedWindow?: number;
}

const windowMark = /\[(\d+)([km])\]$/;
const bedrockPrefix = /^(?:(?:us|eu|apac|jp|au|global|us-gov)\.)?([a-z0-9]+)\.(?=[a-z])/;
const trailing: readonly RegExp[] = [
  /-v\d+$/,
  /-(?:19|20)\d\d-?\d\d-?\d\d$/,
  /-(?:latest|preview|exp|beta)$/,
  /-(?:0[1-9]|1[0-2])[0-3]\d$/,
  /-2[3-9](?:0[1-9]|1[0-2])$/,
  /-00\d$/,
  /-(?:0[1-9]|1[0-2])-20\d\d$/,
];

/**
 * Takes a model name apart, whichever gateway, cloud or client spelled it.
 *
 * @example parseModelName("openrouter/anthropic/claude-sonnet-4-5");
 */
export function parseModelName(name: string): ModelName {
  // Callers without types pass options here: "name.trim is not a function" told them nothing.
  if (typeof name !== "string") {
    throw new MidfoldError("VALIDATION_ERROR", `A model is named by a text, not by ${JSON.stringify(name)}.`);
  }
  const full = name.trim().toLowerCase();
  const mark = windowMark.exec(full);
  const segments = full.replace(windowMark, "").split("/").filter(Boolean);
  let bare = segments.at(-1) ?? "";
  const providers = segments.slice(0, -1).filter((segment) => segment !== "models" && segment !== "accounts");

  const tuned = /^ft:([^:]+)/.exec(bare);
  if (tuned?.[1] !== undefined) bare = tuned[1];
  const cloud = bedrockPrefix.exec(bare);
  if (cloud?.[1] !== undefined && /^[a-z]/.test(cloud[1]) && !/\d$/.test(cloud[1])) {
    providers.push(cloud[1]);
    bare = bare.slice(cloud[0].length);
  }
  const colon = bare.indexOf(":");
  const variant = colon > 0 ? bare.slice(colon + 1) : undefined;
  if (colon > 0) bare = bare.slice(0, colon);
  bare = bare.replace("@", "-");

  return {
    full,
    bare,
    keys: keysOf(bare),
    providers,
    ...(variant === undefined ? {} : { variant }),
    ...(mark === null ? {} : { statedWindow: Number(mark[1]) * (mark[2] === "m" ? 1_000_000 : 1_000) }),
  };
}

function keysOf(bare: string): string[] {
  const keys = [bare.replaceAll(/[._]/g, "-")];
  for (let cut = keys[0]; cut !== undefined; ) {
    const key: string = cut;
    cut = trailing.map((pattern) => key.replace(pattern, "")).find((shorter) => shorter !== key && shorter !== "");
    if (cut !== undefined) keys.push(cut);
  }
  return keys;
}
