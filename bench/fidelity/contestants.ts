import type { ChatMessage } from "./conversation.ts";
import type { Need } from "./references.ts";

export interface Task {
  readonly messages: readonly ChatMessage[];
  /** Exact o200k tokens the answer may have. */
  readonly budget: number;
  /** True where the last message is a question about the rest and looking things up is allowed. */
  readonly asking?: boolean;
  /** What will be needed. Only the bound may look at it. */
  readonly needs?: readonly Need[];
}

/** One way to make a conversation smaller, called the way its users call it. Throws where it refuses. */
export interface Contestant {
  readonly name: string;
  readonly kind: "ours" | "baseline" | "peer";
  /** Looks up what bears on the question; other contestants do not know that there is one. */
  readonly recalls?: boolean;
  /** Made for dialogues; there is nothing to learn from it about agents. */
  readonly dialogues?: boolean;
  /** Told what will be needed: no rival, but what nobody can do much better than. Dialogues have no such list. */
  readonly foresees?: boolean;
  run(task: Task): Promise<readonly ChatMessage[]>;
}
