/** Search in what was folded, and the tool that lets a model do it. */
export { type AnswerRecallOptions, answerRecall } from "./recall/answer-recall.ts";
export { askedStarts } from "./recall/asked-starts.ts";
export { type Archive, type ArchiveEntry, type BuildArchiveOptions, buildArchive } from "./recall/build-archive.ts";
export { askedTerms, excerptTokens, unaskedShare } from "./recall/read-question.ts";
export { type RecallExcerptsOptions, type Recalled, recallExcerpts } from "./recall/recall-excerpts.ts";
export { recallTool } from "./recall/recall-tool.ts";
export { type SearchArchiveOptions, type SearchHit, searchArchive } from "./recall/search-archive.ts";
export { asks } from "./text/asks.ts";
