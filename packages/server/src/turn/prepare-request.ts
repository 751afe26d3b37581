import { MidfoldError } from "@midfold/core";
import type { AppliedEdit, EncodedRequest, ReplyTranslationOptions, RequestBody } from "@midfold/wire";
import { answerContext } from "./answer-context.ts";
import { clampOutput } from "./clamp-output.ts";
import { changedValue, composeBody } from "./compose-body.ts";
import type { Folded } from "./fold-turn.ts";
import type { Gateway } from "./gateway.ts";
import type { Window } from "./resolve-window.ts";
import type { Turn } from "./turn.ts";

/** A request ready to be sent, and how its answer is to be read. */
export interface Prepared {
  readonly bytes: RequestBody;
  readonly translation: ReplyTranslationOptions;
  /** What had no place in the upstream's protocol, by field name. */
  readonly dropped: readonly string[];
}

/** Nothing was renamed and nothing has to be enforced: the answer of an upstream that speaks the client's protocol. */
const untranslated: EncodedRequest = {
  body: {},
  tools: { toUpstream: new Map(), toClient: new Map() },
  localStops: [],
  dropped: [],
};

/** Writes the request for the upstream: the client's own bytes where both speak the same, a translation otherwise. */
export function prepareRequest(
  gateway: Gateway,
  turn: Turn,
  folded: Folded,
  window: Window | undefined,
  appliedEdits: readonly AppliedEdit[],
): Prepared {
  const { destination, protocol } = turn;
  const safety = destination.preset.safetyTokens;
  const maxOutput = window === undefined ? undefined : clampOutput(window, folded.tokens, safety);
  const changes = { messages: folded.messages, maxOutput };
  const common = {
    upstream: destination.protocol,
    client: protocol,
    countText: (text: string) => gateway.counterFor(destination.countAs, turn.identity).count(text),
    ...(window === undefined ? {} : { window: window.tokens }),
  };
  const bareStream = gateway.quirks.refusesStreamUsage(destination.upstream);
  if (turn.sameProtocol) {
    const reply = answerContext(turn, undefined, appliedEdits);
    const without = bareStream ? destination.protocol.body.fields.streamUsage : undefined;
    return {
      bytes: composeBody(turn, changes, without),
      translation: { ...common, request: untranslated, reply },
      dropped: [],
    };
  }
  const neutral = protocol.decodeRequest(changedValue(turn, changes));
  const request = destination.protocol.encodeRequest(
    neutral,
    bareStream ? { ...destination.traits, streamUsage: false } : destination.traits,
  );
  const bytes = JSON.stringify(request.body);
  if (bytes === undefined) throw new MidfoldError("INTERNAL", "The translated request is empty.");
  return {
    bytes,
    translation: { ...common, request, reply: answerContext(turn, neutral, appliedEdits) },
    dropped: request.dropped,
  };
}
