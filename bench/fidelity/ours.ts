import { type FoldOptions, fold, formats, getCounter, type PresetName, presets } from "@midfold/core";
import { requestBudget } from "@midfold/core/budget";
import { digest } from "@midfold/core/summaries";
import type { Contestant, Task } from "./contestants.ts";
import type { ChatMessage } from "./conversation.ts";

const model = "gpt-4o";
const counter = getCounter(model);
const presetNames: readonly PresetName[] = ["agent", "chat", "compact", "sandwich", "proxy"];
const recallShare = 0.6;

/** Through the door a user of the library calls: `fold`, as shipped, told only the model and the budget. */
export const ours: readonly Contestant[] = [
  ...presetNames.map((preset) => folding(preset, (budget) => ({ preset, budget }))),
  ...presetNames.map((preset) => folding(`${preset} window`, (budget) => ({ preset, ...windowFor(preset, budget) }))),
  ...(["agent", "chat"] as const).map((preset) =>
    folding(`${preset} filled`, (budget) => ({ preset, budget, target: 1 })),
  ),
  ...(["agent", "chat"] as const).map((preset) => ({
    ...folding(`${preset} + recall`, (budget) => ({ preset, budget, recall: Math.floor(budget * recallShare) })),
    recalls: true,
  })),
  { name: "digest", kind: "ours", run: digestAlone },
];

function folding(name: string, optionsFor: (budget: number) => FoldOptions): Contestant {
  return {
    name,
    kind: "ours",
    async run({ messages, budget }) {
      const { messages: folded } = await fold(messages, { model, ...optionsFor(budget) });
      return folded;
    },
  };
}

/** A window and an output limit that leave exactly this budget, by the preset's own formula. */
function windowFor(preset: PresetName, budget: number): { window: number; maxOutputTokens: number } {
  const { safetyTokens, safetyPercent } = presets[preset];
  const maxOutputTokens = Math.max(1, Math.floor(budget / 8));
  let window = Math.floor((budget + maxOutputTokens + safetyTokens) / (1 - safetyPercent / 100));
  const budgetAt = (size: number) =>
    requestBudget({
      window: size,
      maxOutput: 16_384,
      maxCompletionTokens: maxOutputTokens,
      safetyTokens: safetyTokens + Math.ceil((size * safetyPercent) / 100),
    }).budget;
  while (budgetAt(window) > budget) window--;
  while (budgetAt(window + 1) <= budget) window++;
  return { window, maxOutputTokens };
}

/** The digest as the only message. */
async function digestAlone({ messages, budget }: Task): Promise<ChatMessage[]> {
  const decoded = formats["openai-chat"].decode(messages, { onInvalid: "skip" });
  const around = counter.countMessage({ role: "user", parts: [{ type: "text", text: "" }] });
  const { text } = digest(decoded, { counter, maxTokens: Math.max(0, budget - around) });
  return text === "" ? [] : [{ role: "user", content: text }];
}
