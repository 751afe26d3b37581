/** Wire formats both ways, and transcripts of other programs. */
export { type DetectOptions, detectFormat } from "./formats/detect-format.ts";
export type { DecodeOptions, Format, FormatName, FormatTraits } from "./formats/format.ts";
export { formats } from "./formats/formats.ts";
export { readTools, type ToolsInput } from "./formats/read-tools.ts";
export {
  type ReadTranscriptOptions,
  readTranscript,
  readTranscripts,
  type Transcripts,
} from "./formats/transcripts/read-transcript.ts";
export type { Transcript, TranscriptFormat } from "./formats/transcripts/transcript.ts";
