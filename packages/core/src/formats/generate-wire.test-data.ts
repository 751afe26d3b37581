import fc from "fast-check";
import type { FormatName } from "./format.ts";

/** Generators of valid wire messages, one per format, for the tests of this folder. */
export function conversationOf(name: FormatName): fc.Arbitrary<unknown[]> {
  return fc.array(messages[name], { minLength: 1, maxLength: 8 });
}

export const plainConversation = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi there" },
];

const text = fc.string({ minLength: 1, maxLength: 20 });
const id = fc.string({ minLength: 1, maxLength: 8 });
const base64 = fc.base64String({ minLength: 4, maxLength: 24 });
const url = fc.constantFrom("https://example.com/a.png", "https://example.com/b");
const input = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
const constant = fc.constant;

const chatBlock = fc.oneof(
  fc.record({ type: constant("text"), text }),
  fc.record({ type: constant("image_url"), image_url: fc.record({ url, detail: constant("low") }) }),
  base64.map((data) => ({ type: "image_url", image_url: { url: `data:image/jpeg;base64,${data}` } })),
  fc.record({ type: constant("file"), file: fc.record({ file_id: id, filename: text }) }),
  base64.map((data) => ({
    type: "file",
    file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` },
  })),
  base64.map((data) => ({ type: "input_audio", input_audio: { data, format: "wav" } })),
  fc.record({ type: constant("video_url"), video_url: fc.record({ url }) }),
);
const chatContent = fc.oneof(text, fc.array(chatBlock, { minLength: 1, maxLength: 3 }));
const chatCall = fc.oneof(
  fc.record({ id, type: constant("function"), function: fc.record({ name: id, arguments: text }) }),
  fc.record({ id, type: constant("custom"), custom: fc.record({ name: id, input: text }) }),
);
const chat = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "system", "developer"), content: chatContent }),
  fc.record({ role: constant("assistant"), content: fc.oneof(chatContent, constant(null)), refusal: constant(null) }),
  fc.record({
    role: constant("assistant"),
    content: fc.oneof(text, constant(null)),
    tool_calls: fc.array(chatCall, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    role: constant("assistant"),
    content: fc.oneof(text, constant(null)),
    reasoning_content: text,
    tool_calls: fc.array(chatCall, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    role: constant("assistant"),
    content: text,
    reasoning: text,
    reasoning_details: fc.tuple(
      fc.record({ type: constant("reasoning.text"), text, signature: id }),
      fc.record({ type: constant("reasoning.encrypted"), data: base64 }),
    ),
  }),
  fc.record({ role: constant("tool"), tool_call_id: id, content: chatContent }),
);

const anthropicImage = fc.record({
  type: constant("image"),
  source: fc.oneof(
    fc.record({ type: constant("base64"), media_type: constant("image/png"), data: base64 }),
    fc.record({ type: constant("url"), url }),
    fc.record({ type: constant("file"), file_id: id }),
  ),
});
const anthropicText = fc.record({ type: constant("text"), text });
const anthropicDocument = fc.record({
  type: constant("document"),
  title: text,
  source: fc.oneof(
    fc.record({ type: constant("base64"), media_type: constant("application/pdf"), data: base64 }),
    fc.record({ type: constant("text"), media_type: constant("text/plain"), data: text }),
    fc.record({ type: constant("url"), url }),
    fc.record({ type: constant("content"), content: text }),
  ),
});
const anthropicResult = fc.record(
  {
    type: constant("tool_result"),
    tool_use_id: id,
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(anthropicText, anthropicImage, fc.record({ type: constant("tool_reference"), tool_name: id })),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    is_error: fc.boolean(),
  },
  { requiredKeys: ["type", "tool_use_id"] },
);
const anthropicBlock = fc.oneof(
  fc.record({ type: constant("thinking"), thinking: text, signature: base64 }),
  fc.record({ type: constant("redacted_thinking"), data: base64 }),
  anthropicText,
  fc.record({ type: constant("tool_use"), id, name: id, input }),
  fc.record({ type: constant("server_tool_use"), id, name: constant("web_search"), input }),
  fc.record({
    type: constant("web_search_tool_result"),
    tool_use_id: id,
    content: fc.array(fc.record({ type: constant("web_search_result"), url, title: text }), { minLength: 1 }),
  }),
  fc.record({
    type: constant("code_execution_tool_result"),
    tool_use_id: id,
    content: fc.record({ type: constant("code_execution_result"), stdout: text }),
  }),
  fc.record({ type: constant("compaction"), content: text }),
);
const anthropic = fc.oneof(
  fc.record({
    role: constant("user"),
    content: fc.oneof(
      text,
      fc.array(fc.oneof(anthropicText, anthropicImage, anthropicDocument, anthropicResult), { minLength: 1 }),
    ),
  }),
  fc.record({ role: constant("user"), content: fc.array(anthropicResult, { minLength: 1, maxLength: 3 }) }),
  fc.record({ role: constant("assistant"), content: fc.oneof(text, fc.array(anthropicBlock, { minLength: 1 })) }),
  fc.record({ role: constant("system"), content: fc.oneof(text, fc.array(anthropicText)), output_config: input }),
);

const inputBlock = fc.oneof(
  fc.record({ type: constant("input_text"), text }),
  fc.record({ type: constant("input_image"), image_url: url, detail: constant("high") }),
  fc.record({ type: constant("input_image"), file_id: id, detail: constant("auto") }),
  base64.map((data) => ({ type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` })),
  fc.record({ type: constant("input_file"), file_url: url }),
);
const inputContent = fc.oneof(text, fc.array(inputBlock, { minLength: 1, maxLength: 3 }));
const responses = fc.oneof(
  fc.record(
    { type: constant("message"), role: fc.constantFrom("user", "system", "developer"), content: inputContent },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({
    type: constant("message"),
    role: constant("assistant"),
    id,
    content: fc.array(
      fc.oneof(
        fc.record({ type: constant("output_text"), text, annotations: constant([]) }),
        fc.record({ type: constant("refusal"), refusal: text }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  fc.record({
    type: constant("reasoning"),
    id,
    summary: fc.array(fc.record({ type: constant("summary_text"), text }), { maxLength: 2 }),
    encrypted_content: base64,
  }),
  fc.record({ type: constant("function_call"), call_id: id, name: id, arguments: text }),
  fc.record({ type: constant("custom_tool_call"), call_id: id, name: id, input: text }),
  fc.record({ type: constant("function_call_output"), call_id: id, output: inputContent }),
  fc.record({ type: constant("custom_tool_call_output"), call_id: id, output: text }),
  fc.record({ type: constant("web_search_call"), id, status: constant("completed"), action: input }),
  fc.record({ type: constant("compaction"), encrypted_content: base64 }),
  fc.record({ type: constant("item_reference"), id }),
);

const sdkPart = fc.oneof(
  fc.record({ type: constant("text"), text }),
  fc.record({ type: constant("image"), image: url }),
  fc.record({ type: constant("image"), image: base64, mediaType: constant("image/png") }),
  fc.record({ type: constant("file"), data: base64, mediaType: constant("application/pdf"), filename: text }),
);
const sdkOutput = fc.oneof(
  fc.record({ type: constant("text"), value: text }),
  fc.record({ type: constant("error-text"), value: text }),
  fc.record({ type: constant("json"), value: input }),
  fc.record({
    type: constant("content"),
    value: fc.array(
      fc.oneof(
        fc.record({ type: constant("text"), text }),
        fc.record({ type: constant("image-data"), data: base64, mediaType: constant("image/png") }),
      ),
      { minLength: 2, maxLength: 3 },
    ),
  }),
);
const sdk = fc.oneof(
  fc.record({ role: constant("system"), content: text }),
  fc.record({ role: constant("user"), content: fc.oneof(text, fc.array(sdkPart, { minLength: 1, maxLength: 3 })) }),
  fc.record({
    role: constant("assistant"),
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(
          fc.record({ type: constant("text"), text }),
          fc.record({ type: constant("reasoning"), text }),
          base64.map((signature) => ({
            type: "reasoning",
            text: "why",
            providerOptions: { anthropic: { signature } },
          })),
          fc.record({ type: constant("tool-call"), toolCallId: id, toolName: id, input }),
          fc.record({ type: constant("custom"), kind: constant("acme.note"), note: text }),
        ),
        { minLength: 1, maxLength: 4 },
      ),
    ),
  }),
  fc.record({
    role: constant("tool"),
    content: fc.array(fc.record({ type: constant("tool-result"), toolCallId: id, toolName: id, output: sdkOutput }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);

const sdkUiPart = fc.oneof(
  fc.record({ type: constant("text"), text }),
  fc.record({ type: constant("reasoning"), text }),
  fc.record({ type: constant("step-start") }),
  fc.record({ type: constant("file"), mediaType: constant("image/png"), url }),
  fc.record({
    type: constant("dynamic-tool"),
    toolName: id,
    toolCallId: id,
    state: constant("input-available"),
    input,
  }),
);
/** AI SDK UI messages: the same format, spelled with `parts`. */
export const uiConversation: fc.Arbitrary<unknown[]> = fc.array(
  fc.record({
    id,
    role: fc.constantFrom("user", "assistant"),
    parts: fc.array(sdkUiPart, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

const lcBlock = fc.oneof(
  fc.record({ type: constant("text"), text }),
  fc.record({ type: constant("image_url"), image_url: fc.record({ url }) }),
  fc.record({ type: constant("video_url"), video_url: fc.record({ url }) }),
);
const lcContent = fc.oneof(text, fc.array(lcBlock, { minLength: 1, maxLength: 3 }));
const lcCall = fc.record({ id, name: id, args: input, type: constant("tool_call") });
const lc = fc.oneof(
  fc.record({ type: fc.constantFrom("human", "system"), content: lcContent }),
  fc.record({
    type: constant("ai"),
    content: fc.oneof(
      lcContent,
      fc.tuple(
        fc.record({ type: constant("thinking"), thinking: text, signature: base64 }),
        fc.record({ type: constant("text"), text }),
      ),
    ),
    response_metadata: constant({ model: "x" }),
  }),
  fc.record({ type: constant("ai"), content: text, tool_calls: fc.array(lcCall, { minLength: 1, maxLength: 3 }) }),
  fc.record({ type: constant("tool"), tool_call_id: id, content: lcContent }),
);

const messages: Record<FormatName, fc.Arbitrary<unknown>> = {
  "openai-chat": chat,
  "anthropic-messages": anthropic,
  "openai-responses": responses,
  "ai-sdk": sdk,
  langchain: lc,
};
