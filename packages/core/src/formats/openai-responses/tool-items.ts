/** Where one kind of tool call item keeps what the model wrote. */
export interface CallItem {
  /** The tool's fixed name; items without one carry it in `name`. */
  readonly tool?: string;
  readonly input: string;
  /** The input is free text, not JSON. */
  readonly custom?: true;
}

/** Every item that is a call answered by a later item, by `type`. */
export const callItems: Readonly<Record<string, CallItem>> = {
  function_call: { input: "arguments" },
  custom_tool_call: { input: "input", custom: true },
  local_shell_call: { tool: "local_shell", input: "action" },
  shell_call: { tool: "shell", input: "action" },
  apply_patch_call: { tool: "apply_patch", input: "operation" },
  computer_call: { tool: "computer", input: "action" },
  tool_search_call: { tool: "tool_search", input: "arguments" },
  program: { tool: "program", input: "code", custom: true },
};

/** Where one kind of tool output item keeps its output. */
export interface OutputItem {
  readonly output: string;
  readonly custom?: true;
  /** `chunks`: a list of stdout and stderr; `value`: one object; otherwise a string or content parts. */
  readonly shape?: "chunks" | "value";
}

export const outputItems: Readonly<Record<string, OutputItem>> = {
  function_call_output: { output: "output" },
  custom_tool_call_output: { output: "output", custom: true },
  local_shell_call_output: { output: "output" },
  shell_call_output: { output: "output", shape: "chunks" },
  apply_patch_call_output: { output: "output" },
  computer_call_output: { output: "output", shape: "value" },
  tool_search_output: { output: "tools", shape: "value" },
  program_output: { output: "result" },
};
