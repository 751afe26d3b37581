export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

/** What the keyboard can do, as the help shows it. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ["?"], does: "Show this list" },
  { keys: ["n"], does: "New conversation" },
  { keys: ["/"], does: "Write a message, or search on pages that have a search" },
  { keys: ["f"], does: "Find a conversation" },
  { keys: ["s"], does: "Summarize conversation history" },
  { keys: ["h"], does: "Full history of this conversation" },
  { keys: ["v"], does: "What the model sees" },
  { keys: ["Enter"], does: "Send; Shift + Enter makes a new line" },
  { keys: ["Esc"], does: "Stop the reply, or close what is open" },
];

/** Announced when the key of a shortcut is pressed on a page that knows it. */
export const shortcutEvent = "midfold:shortcut";
