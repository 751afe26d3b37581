import type { SessionRecord } from "@midfold/store";

interface SystemChange {
  /** The old prompt was used up to this sequence. */
  readonly through: number;
  readonly system: string | null;
}

/** Stores the system prompt that past turns were sent with, so that they can still be shown as they were. */
export function noteSystemChange(session: SessionRecord, system: string | null): Readonly<Record<string, unknown>> {
  const before = session.systemPrompt ?? null;
  if (before === system || session.lastSeq === 0) return session.metadata;
  return { ...session.metadata, systemChanges: [...changesOf(session), { through: session.lastSeq, system: before }] };
}

/** The system prompt in use when the message with this sequence was sent. */
export function systemAt(session: SessionRecord, seq: number): string | undefined {
  const past = changesOf(session).find((change) => seq <= change.through);
  return (past === undefined ? session.systemPrompt : past.system) ?? undefined;
}

function changesOf(session: SessionRecord): readonly SystemChange[] {
  const { systemChanges } = session.metadata;
  return Array.isArray(systemChanges) ? (systemChanges as SystemChange[]) : [];
}
