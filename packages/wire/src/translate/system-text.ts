import { type Message, textOf } from "@midfold/core";
import type { ResponseFormat } from "../neutral/neutral-request.ts";

/** The texts of a system prompt, empty ones left out. */
export function systemTexts(system: readonly Message[]): string[] {
  return system.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : [])),
  );
}

/** The system prompt as one text. */
export function systemText(system: readonly Message[]): string {
  return system
    .map((message) => systemTexts([message]).join("\n\n") || textOf(message))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What to tell a model whose server cannot be made to answer in a format. */
export function formatInstruction(format: ResponseFormat): string | undefined {
  if (format.type === "text") return undefined;
  if (format.type === "json") return "Answer with one JSON object and nothing else.";
  return `Answer with one JSON object and nothing else. It must match this JSON schema:\n${JSON.stringify(format.schema)}`;
}
