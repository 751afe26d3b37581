import { useRouter, useRouterState } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Query } from "../api/request.ts";
import type { RequestSummary } from "../api/types.gen.ts";
import { useAddressValue } from "../ui/use-address-value.ts";

export interface Filters {
  readonly q: string;
  readonly model: string;
  readonly client: string;
  readonly conversation: string;
  readonly folded: "" | "true" | "false";
  readonly failed: "" | "true" | "false";
  /** How far back, in minutes. */
  readonly within: string;
}

export const noFilters: Filters = {
  q: "",
  model: "",
  client: "",
  conversation: "",
  folded: "",
  failed: "",
  within: "",
};

/** The filters are kept in the page's address, so that a view can be bookmarked and shared. */
export function useFilters(): readonly [Filters, (changes: Partial<Filters>) => void] {
  const router = useRouter();
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const [text, setText] = useAddressValue(writeFilters(readFilters(search)), (next) =>
    router.history.replace(`/console${next === "" ? "" : `?${next}`}`),
  );
  const filters = useMemo(() => readFilters(text), [text]);
  return [filters, (changes) => setText(writeFilters({ ...filters, ...changes }))];
}

function writeFilters(filters: Filters): string {
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== "")).toString();
}

export function readFilters(search: string): Filters {
  const given = new URLSearchParams(search);
  // The router puts texts that look like numbers in quotes.
  const text = (name: string) => (given.get(name) ?? "").replace(/^"(.*)"$/, "$1");
  const choice = (name: string) => {
    const value = text(name);
    return value === "true" || value === "false" ? value : "";
  };
  return {
    q: text("q"),
    model: text("model"),
    client: text("client"),
    conversation: text("conversation"),
    folded: choice("folded"),
    failed: choice("failed"),
    within: /^\d{1,6}$/.test(text("within")) ? text("within") : "",
  };
}

/** What the server filters by; the free text is matched in the page. */
export function toQuery({ q: _, within, ...rest }: Filters): Query {
  const since = within === "" ? {} : { since: Date.now() - Number(within) * 60_000 };
  return { ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")), ...since };
}

export function matches(request: RequestSummary, filters: Filters): boolean {
  const { fold, state } = request;
  const isFolded = fold.outcome === "folded" || fold.outcome === "reused";
  if (filters.model !== "" && request.model !== filters.model && request.requestedModel !== filters.model) return false;
  if (filters.client !== "" && request.client !== filters.client) return false;
  if (filters.conversation !== "" && request.conversationId !== filters.conversation) return false;
  if (filters.folded !== "" && isFolded !== (filters.folded === "true")) return false;
  if (filters.failed !== "" && (state === "failed") !== (filters.failed === "true")) return false;
  if (filters.within !== "" && request.at < Date.now() - Number(filters.within) * 60_000) return false;
  return matchesText(request, filters.q);
}

export function matchesText(request: RequestSummary, q: string): boolean {
  if (q === "") return true;
  const { id, client, keyName, model, requestedModel, path, errorCode, conversationId, upstream } = request;
  const all = [
    id,
    client,
    keyName,
    model,
    requestedModel,
    path,
    errorCode,
    conversationId,
    upstream,
    request.fold.outcome,
  ];
  return all.some((text) => text?.toLowerCase().includes(q.toLowerCase()) === true);
}
