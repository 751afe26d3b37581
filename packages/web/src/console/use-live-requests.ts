import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { FeedEvent, RequestList, RequestSummary } from "../api/types.gen.ts";
import { watchEvents } from "../api/watch-events.ts";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { type Filters, matches, matchesText, toQuery } from "./use-filters.ts";

const shown = 200;
const refreshMs = 1_500;

export interface LiveRequests {
  readonly items: readonly RequestSummary[];
  readonly loading: boolean;
  readonly error: unknown;
  readonly connected: boolean;
  readonly paused: boolean;
  /** Requests that arrived while paused. */
  readonly waiting: number;
  readonly setPaused: (paused: boolean) => void;
}

/** The request list, updated by the event feed. */
export function useLiveRequests(filters: Filters): LiveRequests {
  const client = useQueryClient();
  const query = toQuery(filters);
  const key = consoleKeys.requests(JSON.stringify(query));
  const reading = useRef(new Set<RequestSummary[]>());
  const list = useQuery({
    queryKey: key,
    // The answer may be older than requests the feed reported meanwhile.
    queryFn: async () => {
      const meanwhile: RequestSummary[] = [];
      reading.current.add(meanwhile);
      try {
        const read = await consoleApi.listRequests({ ...query, limit: shown });
        const told = meanwhile.filter((request) => matches(request, filters));
        return { ...read, items: put(read.items, told) };
      } finally {
        reading.current.delete(meanwhile);
      }
    },
    staleTime: 0,
  });
  const [connected, setConnected] = useState(false);
  const [paused, setPaused] = useState(false);
  const [held, setHeld] = useState<readonly RequestSummary[]>([]);
  const latest = useRef({ filters, key, paused });
  latest.current = { filters, key, paused };

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The totals change with every request; reading them again once in a while is enough.
    const refreshSums = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: consoleKeys.overview });
      }, refreshMs);
    };
    const stop = watchEvents<FeedEvent>("/console/feed", {
      onLost: () => setConnected(false),
      onOpen: (again) => {
        setConnected(true);
        if (again) void client.invalidateQueries({ queryKey: consoleKeys.all });
      },
      onEvent: (event) => {
        const arrived = event.type === "ready" ? event.running : [event.request];
        const { filters: wanted, key: into, paused: hold } = latest.current;
        const fitting = arrived.filter((request) => matches(request, wanted));
        if (hold) setHeld((before) => put(before, fitting));
        else {
          for (const meanwhile of reading.current) meanwhile.push(...arrived);
          client.setQueryData<RequestList>(
            into,
            (before) => before && { ...before, items: put(before.items, fitting) },
          );
        }
        refreshSums();
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);

  const resume = (pause: boolean) => {
    if (!pause) {
      client.setQueryData<RequestList>(key, (before) => before && { ...before, items: put(before.items, held) });
      setHeld([]);
    }
    setPaused(pause);
  };
  const items = (list.data?.items ?? []).filter((request) => matchesText(request, filters.q));
  return {
    items,
    loading: list.isPending,
    error: list.error,
    connected,
    paused,
    waiting: held.length,
    setPaused: resume,
  };
}

/** Newest first; a known request is replaced in place. */
function put(items: readonly RequestSummary[], arrived: readonly RequestSummary[]): readonly RequestSummary[] {
  const byId = new Map(items.map((request) => [request.id, request]));
  for (const request of arrived) byId.set(request.id, request);
  return [...byId.values()].sort((left, right) => right.at - left.at).slice(0, shown);
}
