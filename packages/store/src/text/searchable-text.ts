import type { Part } from "@midfold/core";

/** The words of a message that a person may want to find it by. Data of images and files is not among them. */
export function searchableText(parts: readonly Part[]): string {
  const texts: string[] = [];
  const add = (text: string | undefined) => {
    if (text !== undefined && text !== "") texts.push(text);
  };
  for (const part of parts) {
    switch (part.type) {
      case "text":
      case "reasoning":
        add(part.text);
        break;
      case "file":
        add(part.name);
        add(part.text);
        break;
      case "tool-call":
        add(part.name);
        add(part.input);
        break;
      case "tool-result":
        add(searchableText(part.content));
        break;
    }
  }
  return texts.join("\n");
}
