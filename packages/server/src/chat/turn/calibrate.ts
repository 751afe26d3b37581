import type { OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import type { LoadedContext } from "../context/load-context.ts";
import type { ReplyUsage } from "../models/chat-models.ts";

/** Weight of the newest answer in the moving average, and how far a ratio may go before it is taken for nonsense. */
const newestShare = 0.2;
const lowest = 0.5;
const highest = 3;

/** Learns from what the provider billed how far the local estimate is off. */
export async function calibrate(
  chat: Chat,
  store: OwnerStore,
  { model, context }: LoadedContext,
  usage: ReplyUsage,
): Promise<void> {
  if (model.counter.exact || !(usage.inputTokens > 0)) return;
  const counted = model.counter.countMessages(context.messages) + model.counter.countTools(context.tools);
  if (counted < 200) return;
  const seen = Math.min(highest, Math.max(lowest, usage.inputTokens / counted));
  try {
    const known = await store.calibrations.get(model.name, model.counter.name);
    const ratio = known === undefined ? seen : known.ratio + (seen - known.ratio) * newestShare;
    const samples = (known?.samples ?? 0) + 1;
    await store.calibrations.put({ model: model.name, counter: model.counter.name, ratio, samples });
  } catch (error) {
    chat.log.warn({ err: error, model: model.name }, "a calibration could not be stored");
  }
}
