import { type FoldResult, fold, type Preset, presets, requestBudget } from "@midfold/core";
import { headerOf } from "../http/exchange.ts";
import type { Gateway } from "./gateway.ts";
import { isProvablySmall } from "./is-provably-small.ts";
import type { Window } from "./resolve-window.ts";
import type { Turn } from "./turn.ts";

/** What is to be sent, seen from the message list. */
export interface Folded {
  /** Undefined: the list goes out as it came in. */
  readonly messages: readonly unknown[] | undefined;
  readonly result: FoldResult<unknown> | undefined;
  /** Upper bound of what goes out, by our own count. */
  readonly tokens: number;
}

export interface FoldTurnOptions {
  /** Smaller than the window leaves, after the upstream said that it was still too much. */
  readonly budget?: number;
  readonly preset?: Preset;
  /** The client asked for its conversation to be shortened. */
  readonly force?: boolean;
}

/**
 * A client that asks for a summary of its conversation must get one: the request it is made with may lose whole tool
 * exchanges, whatever the route allows otherwise.
 */
function presetFor({ destination, record }: Turn): Preset {
  const { preset } = destination;
  if (!record.compactionRequest || preset.scope === "all") return preset;
  return { ...preset, name: `${preset.name}+compaction`, scope: "all", rungs: presets.agent.rungs };
}

/** Whether this request may be folded at all. */
export function mayFold(gateway: Gateway, turn: Turn): boolean {
  if (!gateway.settings.folding || !turn.destination.folding) return false;
  return headerOf(turn.request.headers, "x-disable-compression")?.toLowerCase() !== "true";
}

/** The request as it came, when it fits without being counted; undefined when it has to be looked at. */
export function takeUncounted(gateway: Gateway, turn: Turn, window: Window): Folded | undefined {
  const { body, protocol, record } = turn;
  const preset = presetFor(turn);
  const budget = budgetOf(window, preset);
  const size = { bytes: body.bytes.byteLength, bounded: turn.bounded };
  if (!isProvablySmall(size, preset, window.tokens, budget)) return undefined;
  record.budget = budget;
  record.outcome = "fits";
  record.tokensBefore = record.tokensAfter = Math.ceil(body.bytes.byteLength / 4);
  record.messagesBefore = record.messagesAfter = body.scanned.elements?.length ?? 1;
  if (gateway.settings.capture) {
    const messages = protocol.body.messagesOf(body.value);
    record.content = { before: messages, after: messages };
  }
  return { messages: undefined, result: undefined, tokens: body.bytes.byteLength };
}

function budgetOf(window: Window, preset: Preset): number {
  return requestBudget({
    window: window.tokens,
    maxOutput: window.maxOutput,
    maxCompletionTokens: window.asked,
    safetyTokens: preset.safetyTokens + Math.ceil((window.tokens * preset.safetyPercent) / 100),
  }).budget;
}

/** Makes the conversation fit the window, when it does not. Rejects with CONTEXT_OVERFLOW when it cannot. */
export async function foldTurn(
  gateway: Gateway,
  turn: Turn,
  window: Window,
  options: FoldTurnOptions = {},
): Promise<Folded> {
  const { body, protocol, destination, record, identity } = turn;
  const preset = options.preset ?? presetFor(turn);
  record.window = window.tokens;
  record.windowSource = window.source;
  record.budget = options.budget ?? budgetOf(window, preset);
  const startedAt = performance.now();
  const counter = gateway.counterFor(destination.countAs, identity);
  const messages = protocol.body.messagesOf(body.value);
  await gateway.prepareCounting(turn, counter);
  const result = await fold(messages, {
    model: destination.countAs,
    format: protocol.format.name,
    window: window.tokens,
    maxOutputTokens: window.reserve,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    preset,
    ...(options.force === true ? { force: true } : {}),
    system: protocol.body.systemOf(body.value),
    tools: protocol.body.toolsOf(body.value),
    toolChoice: protocol.body.toolChoiceOf(body.value),
    counter,
    cache: gateway.foldsOf(identity.tenant),
    signal: turn.request.signal,
  });
  record.foldMs += performance.now() - startedAt;
  record.counter = counter.name;
  record.outcome = result.outcome;
  record.plan = result.plan;
  record.foldId = result.state?.id;
  record.foldBy = result.state?.by ?? "none";
  record.frames = result.state?.texts ?? [];
  record.tokensBefore = result.tokens.before;
  record.tokensAfter = result.tokens.after;
  record.budget = result.tokens.budget;
  record.exact = result.tokens.exact;
  // What fits with room to spare is only bounded by the engine, not counted.
  record.counted = result.outcome !== "fits" || result.tokens.exact;
  record.messagesBefore = messages.length;
  record.messagesAfter = result.messages.length;
  record.warnings.push(...result.warnings);
  if (gateway.settings.capture) record.content = { before: messages, after: result.messages };
  return { messages: result.changed ? result.messages : undefined, result, tokens: result.tokens.after };
}
