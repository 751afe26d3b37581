export type { Events, StoreEvent } from "./coordination/events.ts";
export type { Job, JobFailure, JobOptions, Jobs } from "./coordination/jobs.ts";
export type { ExclusiveOutcome, Fence, Lease, LeaseOptions, Leases } from "./coordination/leases.ts";
export { compressionLease } from "./coordination/leases.ts";
export { hashKey } from "./gateway/create-keys.ts";
export type { ClientKey, Keys } from "./gateway/keys.ts";
export type { Calibration, Calibrations, Folds, LearnedLimit, Limits, StoredFold } from "./gateway/learned.ts";
export type { OpenProvider, Provider, ProviderDraft, Providers } from "./gateway/providers.ts";
export type { LoggedRequest, RequestEntry, RequestFilter, RequestLog, RequestTotals } from "./gateway/request-log.ts";
export type { OwnedRequest, RequestBounds, SharedRequestLog } from "./gateway/shared-request-log.ts";
export { openStore } from "./open-store.ts";
export type { Page } from "./page.ts";
export type { ContextReader, ContextState, ContextStates, SessionContext } from "./sessions/context.ts";
export type {
  MessageDraft,
  MessageEnding,
  MessageListOptions,
  MessagePatch,
  MessageRecord,
  MessageStatus,
  Messages,
  MessageTokens,
  MessageTotals,
  MessageVisibility,
  SearchHit,
  SearchOptions,
  SearchPage,
} from "./sessions/messages.ts";
export type { SessionDraft, SessionParent, SessionPatch, SessionRecord, Sessions } from "./sessions/sessions.ts";
export type {
  ResolvedSetting,
  SettingScope,
  SettingSource,
  Settings,
  SettingTarget,
} from "./sessions/settings.ts";
export type {
  PublishOutcome,
  PublishRefusal,
  SnapshotDraft,
  SnapshotKind,
  SnapshotRecord,
  SnapshotState,
  Snapshots,
  SummaryContent,
  SummaryDraft,
  SummaryRecord,
  UndoOutcome,
} from "./sessions/snapshots.ts";
export type { OwnerStore, Store, StoreOptions, StoreProblem, StoreStatus, TransferReport } from "./store.ts";
export { examineStore, type StoreFindings } from "./transfer/examine-store.ts";
export { restoreStore } from "./transfer/restore-store.ts";
