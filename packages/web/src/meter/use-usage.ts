import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Usage, UserPart } from "../api/types.gen.ts";

const pauseMs = 350;

interface Draft {
  readonly draft: string;
  readonly parts: readonly UserPart[];
}
const nothing: Draft = { draft: "", parts: [] };

/** Identifies an attachment without putting megabytes into a cache key. */
const nameOf = (part: UserPart): string =>
  part.type === "file"
    ? `${part.name} ${part.bytes} ${part.text?.length}`
    : `${part.type} ${JSON.stringify(part).length}`;

/** The size of the next request, including the draft and its files once the writer pauses. */
export function useUsage(
  sessionId: string,
  draft: string,
  parts: readonly UserPart[],
  enabled = true,
): Usage | undefined {
  const [settled, setSettled] = useState<Draft>(nothing);
  const isEmpty = draft === "" && parts.length === 0;
  useEffect(() => {
    if (isEmpty) return setSettled(nothing);
    const timer = setTimeout(() => setSettled({ draft, parts }), pauseMs);
    return () => clearTimeout(timer);
  }, [draft, parts, isEmpty]);
  const stored = useQuery({ queryKey: keys.usage(sessionId), queryFn: () => api.getUsage(sessionId), enabled });
  const drafted = useQuery({
    queryKey: [...keys.usage(sessionId), "draft", settled.draft, settled.parts.map(nameOf)],
    queryFn: ({ signal }) => api.measureDraft(sessionId, settled, signal),
    enabled: settled !== nothing,
    gcTime: 0,
  });
  return settled === nothing ? stored.data : (drafted.data ?? stored.data);
}
