export { type Client, type MidfoldOptions, withMidfold } from "./fetch.ts";
export { anthropicSummarizer } from "./summarizers.ts";
