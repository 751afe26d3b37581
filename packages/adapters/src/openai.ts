export { type Client, type MidfoldOptions, withMidfold } from "./fetch.ts";
export { openaiSummarizer } from "./summarizers.ts";
