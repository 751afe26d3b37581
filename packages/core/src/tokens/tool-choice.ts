/** What a request says about which of its tools the model may or must call. */
export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string };
