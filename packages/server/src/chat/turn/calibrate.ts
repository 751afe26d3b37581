import { CalibratedCounter } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import type { LoadedContext } from "../context/load-context.ts";
import type { ReplyUsage } from "../models/chat-models.ts";

/** Learns from what the provider billed how far the local estimate is off. */
export async function calibrate(
  chat: Chat,
  store: OwnerStore,
  { model, context }: LoadedContext,
  usage: ReplyUsage,
): Promise<void> {
  const { counter } = model;
  if (!(counter instanceof CalibratedCounter)) return;
  const before = counter.calibration.samples;
  counter.observe(context.messages, context.tools, usage.inputTokens);
  const { ratio, samples } = counter.calibration;
  if (samples === before) return;
  try {
    await store.calibrations.put({ model: model.name, counter: counter.inner.name, ratio, samples });
  } catch (error) {
    chat.log.warn({ err: error, model: model.name }, "a calibration could not be stored");
  }
}
