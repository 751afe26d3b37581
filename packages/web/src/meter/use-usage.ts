import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Usage } from "../api/types.gen.ts";

const pauseMs = 350;

/** The size of the next request, with the words being written once the writer pauses. */
export function useUsage(sessionId: string, draft: string): Usage | undefined {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    if (draft === "") return setSettled("");
    const timer = setTimeout(() => setSettled(draft), pauseMs);
    return () => clearTimeout(timer);
  }, [draft]);
  const stored = useQuery({ queryKey: keys.usage(sessionId), queryFn: () => api.getUsage(sessionId) });
  const drafted = useQuery({
    queryKey: [...keys.usage(sessionId), "draft", settled],
    queryFn: ({ signal }) => api.measureDraft(sessionId, settled, signal),
    enabled: settled !== "",
    gcTime: 0,
  });
  return settled === "" ? stored.data : (drafted.data ?? stored.data);
}
