import { namesIn } from "../json.ts";

/** What the Messages API defines; everything else is "Extra inputs are not permitted". */
export const requestFields: ReadonlySet<string> = namesIn(`
  model messages max_tokens system metadata stop_sequences stream temperature top_k top_p thinking tool_choice
  tools service_tier container context_management mcp_servers output_config output_format inference_geo speed
  cache_control
`);

/** Top-level fields that only exist together with a beta header that starts like this. */
export const betaFields: ReadonlyMap<string, string> = new Map([
  ["context_management", "context-management"],
  ["mcp_servers", "mcp-client"],
  ["speed", "fast-mode"],
]);

export const countFields: ReadonlySet<string> = namesIn(`
  model messages system thinking tool_choice tools context_management mcp_servers output_config output_format
  cache_control speed
`);

const fields = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", "cache_control", ...names]);

/** Content blocks by type, with their fields and the roles that may carry them. */
export const blocks: ReadonlyMap<string, { readonly fields: ReadonlySet<string>; readonly roles: readonly string[] }> =
  new Map([
    ["text", { fields: fields("text", "citations"), roles: ["user", "assistant", "system"] }],
    ["image", { fields: fields("source"), roles: ["user"] }],
    ["document", { fields: fields("source", "title", "context", "citations"), roles: ["user"] }],
    ["search_result", { fields: fields("content", "source", "title", "citations"), roles: ["user"] }],
    ["container_upload", { fields: fields("file_id"), roles: ["user"] }],
    ["tool_result", { fields: fields("tool_use_id", "content", "is_error"), roles: ["user"] }],
    ["thinking", { fields: fields("thinking", "signature"), roles: ["assistant"] }],
    ["redacted_thinking", { fields: fields("data"), roles: ["assistant"] }],
    ["tool_use", { fields: fields("id", "name", "input", "caller"), roles: ["assistant"] }],
    ["server_tool_use", { fields: fields("id", "name", "input", "caller"), roles: ["assistant"] }],
    ["web_search_tool_result", { fields: fields("tool_use_id", "content", "caller"), roles: ["assistant"] }],
    ["web_fetch_tool_result", { fields: fields("tool_use_id", "content", "caller"), roles: ["assistant"] }],
    ["code_execution_tool_result", { fields: fields("tool_use_id", "content"), roles: ["assistant"] }],
    ["mcp_tool_use", { fields: fields("id", "name", "input", "server_name"), roles: ["assistant"] }],
    ["mcp_tool_result", { fields: fields("tool_use_id", "content", "is_error"), roles: ["assistant", "user"] }],
    ["tool_reference", { fields: fields("tool_name"), roles: ["user"] }],
    ["compaction", { fields: fields("content"), roles: ["assistant"] }],
  ]);

export const messageFields: ReadonlySet<string> = new Set(["role", "content"]);
/** A system turn may carry directives beside its content. */
export const systemTurnFields: ReadonlySet<string> = new Set(["role", "content", "output_config", "tools"]);

export const toolFields: ReadonlySet<string> = namesIn(`
  type cache_control name description input_schema strict defer_loading allowed_callers input_examples
  eager_input_streaming
`);

export const toolResultTypes: ReadonlySet<string> = namesIn(`
  text image document search_result tool_reference
`);
