import { outputReserve } from "@midfold/core";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/** The limits a request must keep, and where they come from. */
export interface Window {
  readonly tokens: number;
  readonly source: "route" | "learned" | "upstream" | "registry" | "guess";
  readonly maxOutput: number;
  /** Tokens kept free for the answer. */
  readonly reserve: number;
  /** What the client asked for, as far as it did. */
  readonly asked: number | undefined;
}

/**
 * The upstream model's real window. Order of trust: what the upstream itself revealed by refusing or cutting a request,
 * the configuration, the upstream's model list, the registry, a careful guess.
 */
export function resolveWindow(gateway: Gateway, turn: Turn): Window {
  const { destination, identity, protocol, body } = turn;
  const { info } = destination;
  const learned = gateway.knowledge.limitOf(identity.tenant, destination.upstream, destination.model);
  const listed = destination.windowIsStated ? undefined : destination.listedWindow();
  const known = listed ?? (info.known ? info.window : undefined);
  const revealed = learned?.contextWindow;
  const isLearned = revealed !== undefined && (known === undefined || revealed < known);
  const tokens = isLearned ? revealed : (known ?? info.window);
  const asked = protocol.body.maxOutputOf(body.value);
  const maxOutput = Math.min(learned?.maxOutputTokens ?? Number.POSITIVE_INFINITY, info.maxOutput, tokens);
  return {
    tokens,
    source: isLearned ? "learned" : sourceOf(destination.windowIsStated, listed, info.known),
    maxOutput,
    reserve: outputReserve({ window: tokens, maxOutput, asked }),
    asked,
  };
}

function sourceOf(stated: boolean, listed: number | undefined, known: boolean): Window["source"] {
  if (stated) return "route";
  if (listed !== undefined) return "upstream";
  return known ? "registry" : "guess";
}
