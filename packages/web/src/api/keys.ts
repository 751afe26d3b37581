/** Cache keys of the server's answers; what changes together begins with the same words. */
export const keys = {
  sessions: ["sessions"] as const,
  sessionList: (search: string) => ["sessions", search] as const,
  session: (id: string) => ["session", id] as const,
  usage: (id: string) => ["session", id, "usage"] as const,
  summaries: (id: string) => ["session", id, "summaries"] as const,
  summary: (id: string, summaryId: string) => ["session", id, "summaries", summaryId] as const,
  turns: (id: string) => ["session", id, "turns"] as const,
  modelView: (id: string, turn: string | undefined) => ["session", id, "model-view", turn ?? "next"] as const,
  search: (id: string, q: string) => ["session", id, "search", q] as const,
  searchAll: (q: string) => ["search", q] as const,
  models: ["models"] as const,
  settings: (scope: string) => ["settings", scope] as const,
};
