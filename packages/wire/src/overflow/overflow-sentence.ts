/** The sizes a client's own recovery works from. */
export interface OverflowSizes {
  readonly limit: number;
  readonly input: number;
  /** Tokens kept for the answer; when given and the prompt alone would fit, the sentence says that it is the sum. */
  readonly output?: number;
}

/** The sentences the official clients recognise, word for word: their own compaction starts from them. */
export const overflowSentence = {
  anthropic({ limit, input, output }: OverflowSizes): string {
    return output !== undefined && input <= limit
      ? `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`
      : `prompt is too long: ${input} tokens > ${limit} maximum`;
  },
  openaiChat({ limit, input, output }: OverflowSizes): string {
    return output !== undefined && input <= limit
      ? `This model's maximum context length is ${limit} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`
      : `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
  },
  openaiResponses(): string {
    return "Your input exceeds the context window of this model. Please adjust your input and try again.";
  },
} as const;
