export type { StoreEvent } from "./coordination/events.ts";

export type { Fence, Lease } from "./coordination/leases.ts";
export { foldLease } from "./coordination/leases.ts";
export { hashKey } from "./gateway/create-keys.ts";
export type { ClientKey } from "./gateway/keys.ts";

export type { OpenProvider, Provider } from "./gateway/providers.ts";
export type { LoggedRequest, RequestContent } from "./gateway/request-log.ts";
export type { OwnedRequest } from "./gateway/shared-request-log.ts";
export { openStore } from "./open-store.ts";
export { restoreStore } from "./restore-store.ts";
export type { SessionContext } from "./sessions/context.ts";
export type {
  MessageDraft,
  MessageEnding,
  MessageRecord,
  SearchHit,
} from "./sessions/messages.ts";
export type { SessionPatch, SessionRecord } from "./sessions/sessions.ts";
export type {
  ResolvedSetting,
  SettingScope,
  SettingTarget,
} from "./sessions/settings.ts";
export type {
  SnapshotState,
  SummaryContent,
  SummaryDraft,
  SummaryRecord,
} from "./sessions/snapshots.ts";
export type { OwnerStore, Store } from "./store.ts";
export { examineStore } from "./transfer/examine-store.ts";
