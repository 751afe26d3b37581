import type { SimulatedProtocol } from "./simulator.ts";

/** A request as the simulated model sees it, the same for every protocol. */
export interface Turn {
  readonly protocol: SimulatedProtocol;
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly TurnMessage[];
  readonly tools: readonly string[];
  readonly inputTokens: number;
  /** How many requests for a reply came before this one. */
  readonly index: number;
  /** The parsed request body. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TurnMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly results: readonly { readonly callId: string; readonly text: string }[];
}

/** The words of the last message a person (or a harness on their behalf) wrote. */
export function lastUserText(turn: Turn): string {
  return turn.messages.findLast((message) => message.role === "user" && message.text !== "")?.text ?? "";
}

/** The results that arrived since the assistant last spoke. */
export function newResults(turn: Turn): TurnMessage["results"] {
  const spoke = turn.messages.findLastIndex((message) => message.role === "assistant");
  return turn.messages.slice(spoke + 1).flatMap((message) => message.results);
}
