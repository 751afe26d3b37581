export const encodingNames = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"] as const;
export type EncodingName = (typeof encodingNames)[number];

/** One byte-pair table with its splitting rule. Text that looks like a special token is text. */
export interface Encoding {
  readonly name: EncodingName;
  count(text: string): number;
  encode(text: string): number[];
  take(text: string, maxTokens: number): string;
  takeLast(text: string, maxTokens: number): string;
}
