import type { SessionContext, SessionRecord } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { type ResolvedModel, resolveChatModel } from "../settings/resolve-chat-model.ts";
import { type BuildOptions, type BuiltContext, buildContext } from "./build-context.ts";
import { countAhead } from "./count-ahead.ts";
import { type ContextWeights, weighContext } from "./weigh-context.ts";

/** A session's next request, counted for one model. */
export interface LoadedContext {
  readonly source: SessionContext;
  readonly model: ResolvedModel;
  readonly context: BuiltContext;
  readonly weights: ContextWeights;
}

export interface LoadOptions extends Omit<BuildOptions, "system"> {
  /** Instead of the session's model. */
  readonly model?: string | undefined;
  /** A smaller window than the model's: the provider refused a request of that size. */
  readonly window?: number | undefined;
}

/** One read of the summary and what follows it; summarized messages are not read. */
export async function loadContext(chat: Chat, sessionId: string, options: LoadOptions = {}): Promise<LoadedContext> {
  const source = await chat.store.context.read(sessionId);
  const model = await resolveChatModel(chat, options.model ?? modelOf(chat, source.session), sessionId);
  return weighSource(chat, source, withWindow(model, options.window), options);
}

/** The same for a context that was read already. */
export async function weighSource(
  chat: Chat,
  source: SessionContext,
  model: ResolvedModel,
  options: Omit<BuildOptions, "system"> = {},
): Promise<LoadedContext> {
  const system = source.session.systemPrompt ?? model.settings.systemPrompt ?? undefined;
  const context = buildContext(source, { ...options, system });
  await countAhead(chat.counts, model.counter, context.messages);
  return { source, model, context, weights: weighContext(context, { counter: model.counter, log: chat.log }) };
}

function withWindow(model: ResolvedModel, window: number | undefined): ResolvedModel {
  if (window === undefined || window >= model.info.window) return model;
  return { ...model, info: { ...model.info, window, maxOutput: Math.min(model.info.maxOutput, window) } };
}

export function modelOf(chat: Chat, session: SessionRecord): string {
  return session.model ?? chat.models.defaultModel;
}
