import { tiles } from "../image-tokens.ts";
import { defaultFamily, o200k } from "./default-family.ts";
import type { TokenFamily } from "./family.ts";
import { patches } from "./image-rules.ts";

/** Most specific first. Image figures: OpenAI's guide "Images and vision". */
export const openaiFamilies: readonly TokenFamily[] = [
  { ...o200k, name: "gpt-4.1-mini", models: /^gpt-4\.1-mini/, image: patches(1.62, 1536) },
  { ...o200k, name: "gpt-4.1-nano", models: /^gpt-4\.1-nano/, image: patches(2.46, 1536) },
  { ...o200k, name: "o4-mini", models: /^o4-mini/, image: patches(1.72, 1536) },
  { ...o200k, name: "gpt-5-mini", models: /^gpt-5(\.\d+)?-mini/, image: patches(1.62, 1536) },
  { ...o200k, name: "gpt-5-nano", models: /^gpt-5(\.\d+)?-nano/, image: patches(2.46, 1536) },
  { ...o200k, name: "gpt-5", models: /^gpt-5/, image: tiles(70, 140) },
  { ...o200k, name: "gpt-4o-mini", models: /^gpt-4o-mini/, image: tiles(2833, 5667) },
  { ...o200k, name: "computer-use", models: /^computer-use/, image: tiles(65, 129) },
  { ...o200k, name: "o-series", models: /^o[134](-|$)/, image: tiles(75, 150) },
  { ...o200k, name: "gpt-4o", models: /^(gpt-4o|chatgpt-|gpt-4\.[15]|gpt-oss|codex)/, image: tiles(85, 170) },
  {
    ...o200k,
    name: "gpt-4",
    models: /^(gpt-4|gpt-3\.5|gpt-35|text-embedding-)/,
    encoding: "cl100k_base",
    image: tiles(85, 170),
  },
  {
    ...o200k,
    name: "codex-davinci",
    models: /^(text-davinci-00[23]|code-davinci|code-cushman|davinci-codex|cushman-codex)/,
    encoding: "p50k_base",
    image: tiles(85, 170),
  },
  {
    ...o200k,
    name: "gpt-3",
    models: /^(text-(davinci|curie|babbage|ada)|davinci|curie|babbage|ada(-|$)|gpt2)/,
    encoding: "r50k_base",
    image: tiles(85, 170),
  },
  defaultFamily,
];
