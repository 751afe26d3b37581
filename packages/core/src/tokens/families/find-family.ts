import { estimatedFamilies } from "./estimated.ts";
import type { TokenFamily } from "./family.ts";
import { openaiFamilies } from "./openai.ts";

/**
 * The family a model id belongs to, however a gateway spells it (`openai/gpt-4o`, `us.anthropic.claude-…`).
 *
 * @example findFamily("openai/gpt-4o")?.name; // "gpt-4o"
 */
export function findFamily(model: string): TokenFamily | undefined {
  const id = model.toLowerCase().slice(0, 200);
  for (const name of [id, ...bareNames(id)]) {
    for (const family of openaiFamilies) if (family.models.test(name)) return family;
    for (const family of estimatedFamilies) if (family.models.test(name)) return family;
  }
  return undefined;
}

/** The id without vendor, region, deployment or fine-tune prefixes, the longest rest first. */
function bareNames(id: string): string[] {
  const names: string[] = [];
  for (const match of id.matchAll(/[/:.@~]/g)) names.push(id.slice(match.index + 1));
  return names;
}
