import { namesIn } from "../json.ts";

/** What the Responses API defines at the top level. */
export const requestFields: ReadonlySet<string> = namesIn(`
  background client_metadata context_management conversation include input instructions max_output_tokens
  max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key
  prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
  tool_choice tools top_logprobs top_p truncation user
`);

/** Items by type: the prefix an id must have, and which field names the call that an output answers. */
export const itemTypes: ReadonlyMap<
  string,
  { readonly id?: string; readonly call?: boolean; readonly output?: boolean }
> = new Map([
  ["message", { id: "msg" }],
  ["reasoning", { id: "rs" }],
  ["function_call", { id: "fc", call: true }],
  ["function_call_output", { output: true }],
  ["custom_tool_call", { id: "ctc", call: true }],
  ["custom_tool_call_output", { output: true }],
  ["local_shell_call", { call: true }],
  ["local_shell_call_output", { output: true }],
  ["shell_call", { call: true }],
  ["shell_call_output", { output: true }],
  ["apply_patch_call", { call: true }],
  ["apply_patch_call_output", { output: true }],
  ["tool_search_call", {}],
  ["tool_search_output", {}],
  ["web_search_call", { id: "ws" }],
  ["file_search_call", { id: "fs" }],
  ["code_interpreter_call", { id: "ci" }],
  ["image_generation_call", { id: "ig" }],
  ["computer_call", { call: true }],
  ["computer_call_output", { output: true }],
  ["mcp_call", {}],
  ["mcp_list_tools", {}],
  ["item_reference", {}],
  ["compaction", { id: "cmp" }],
  ["compaction_summary", {}],
  ["compaction_trigger", {}],
  ["additional_tools", {}],
]);

export const messageRoles: readonly string[] = ["assistant", "system", "developer", "user"];

export const inputParts: readonly string[] = ["input_text", "input_image", "input_file"];
export const outputParts: readonly string[] = ["output_text", "refusal"];

/** Fields of the items that people write themselves most often. */
export const itemFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "message",
    new Set(["type", "role", "content", "id", "status", "phase", "internal_chat_message_metadata_passthrough"]),
  ],
  ["function_call", new Set(["type", "id", "call_id", "name", "arguments", "status", "namespace"])],
  ["function_call_output", new Set(["type", "id", "call_id", "output", "status"])],
  ["reasoning", new Set(["type", "id", "summary", "content", "encrypted_content", "status"])],
]);
