import type { ImageRule } from "../image-tokens.ts";
import type { ChatOverhead, TokenFamily } from "./family.ts";

const chat: ChatOverhead = {
  perMessage: 3,
  perName: 1,
  perToolCall: 3,
  perToolResult: 0,
  perTool: 7,
  perToolList: 12,
  perRequest: 3,
};

const tiles = (base: number, perTile: number): ImageRule => ({ kind: "tiles", base, perTile });
const patches = (multiplier: number): ImageRule => ({ kind: "patches", multiplier, maxPatches: 1536 });

const exact = { exact: true, ratio: 1, overhead: chat } as const;

/** OpenAI's later models have all kept o200k_base: a new name is far likelier to be exact than not. */
export const newestFamily: TokenFamily = {
  ...exact,
  name: "gpt-next",
  models: /^(gpt-|o\d)/,
  encoding: "o200k_base",
  image: tiles(85, 170),
};

/** Most specific first. Image figures: OpenAI, "Images and vision" guide. */
export const openaiFamilies: readonly TokenFamily[] = [
  { ...exact, name: "gpt-4.1-mini", models: /^gpt-4\.1-mini/, encoding: "o200k_base", image: patches(1.62) },
  { ...exact, name: "gpt-4.1-nano", models: /^gpt-4\.1-nano/, encoding: "o200k_base", image: patches(2.46) },
  { ...exact, name: "o4-mini", models: /^o4-mini/, encoding: "o200k_base", image: patches(1.72) },
  { ...exact, name: "gpt-5-mini", models: /^gpt-5(\.\d+)?-mini/, encoding: "o200k_base", image: patches(1.62) },
  { ...exact, name: "gpt-5-nano", models: /^gpt-5(\.\d+)?-nano/, encoding: "o200k_base", image: patches(2.46) },
  { ...exact, name: "gpt-5", models: /^gpt-5/, encoding: "o200k_base", image: tiles(70, 140) },
  { ...exact, name: "gpt-4o-mini", models: /^gpt-4o-mini/, encoding: "o200k_base", image: tiles(2833, 5667) },
  { ...exact, name: "o-series", models: /^(o[134](-|$)|computer-use)/, encoding: "o200k_base", image: tiles(75, 150) },
  {
    ...exact,
    name: "gpt-4o",
    models: /^(gpt-4o|chatgpt-|gpt-4\.[15]|gpt-oss|codex)/,
    encoding: "o200k_base",
    image: tiles(85, 170),
  },
  {
    ...exact,
    name: "gpt-4",
    models: /^(gpt-4|gpt-3\.5|gpt-35|text-embedding-)/,
    encoding: "cl100k_base",
    image: tiles(85, 170),
  },
  {
    ...exact,
    name: "codex-davinci",
    models: /^(text-davinci-00[23]|code-davinci|code-cushman|davinci-codex|cushman-codex)/,
    encoding: "p50k_base",
    image: tiles(85, 170),
  },
  {
    ...exact,
    name: "gpt-3",
    models: /^(text-(davinci|curie|babbage|ada)|davinci|curie|babbage|ada|gpt2)/,
    encoding: "r50k_base",
    image: tiles(85, 170),
  },
  newestFamily,
];
