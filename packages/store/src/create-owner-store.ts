import { MidfoldError } from "@midfold/core";
import { createLeases } from "./coordination/create-leases.ts";
import type { EventBus } from "./coordination/event-bus.ts";
import { createFolds } from "./gateway/create-folds.ts";
import { createKeys } from "./gateway/create-keys.ts";
import { createCalibrations, createLimits } from "./gateway/create-learned.ts";
import { createProviders } from "./gateway/create-providers.ts";
import { createRequestLog } from "./gateway/create-request-log.ts";
import type { LogBuffer } from "./gateway/log-buffer.ts";
import type { OwnerScope } from "./owner-scope.ts";
import type { Seals } from "./seal.ts";
import { createContextStates } from "./sessions/create-context-states.ts";
import { createMessages } from "./sessions/create-messages.ts";
import { createSessions } from "./sessions/create-sessions.ts";
import { createSettings } from "./sessions/create-settings.ts";
import { createSnapshots } from "./sessions/create-snapshots.ts";
import { readContext } from "./sessions/read-context.ts";
import type { OwnerStore } from "./store.ts";
import { toStorableText } from "./text/storable.ts";

export function createOwnerStore(
  scope: OwnerScope,
  { events, log, seals }: { readonly events: EventBus; readonly log: LogBuffer; readonly seals: Seals },
): OwnerStore {
  const { owner } = scope;
  if (typeof owner !== "string" || owner === "" || toStorableText(owner) !== owner) {
    throw new MidfoldError("VALIDATION_ERROR", "An owner must be a text that is not empty, without NUL characters.");
  }
  return {
    owner,
    sessions: createSessions(scope),
    messages: createMessages(scope),
    context: { read: (sessionId) => readContext(scope, sessionId) },
    snapshots: createSnapshots(scope),
    settings: createSettings(scope),
    contextStates: createContextStates(scope),
    folds: createFolds(scope, seals.records),
    limits: createLimits(scope),
    calibrations: createCalibrations(scope),
    requests: createRequestLog(scope, log),
    keys: createKeys(scope),
    providers: createProviders(scope, seals.keys),
    leases: createLeases(scope),
    events: {
      publish: (event) => events.publish(owner, event),
      subscribe: (listener) => events.subscribe(owner, listener),
    },
  };
}
