import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { toast } from "../ui/toast.tsx";

export function ModelPicker({ session }: { readonly session: Session }) {
  const { data } = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const client = useQueryClient();
  const names = (data?.models ?? []).filter(({ available }) => available).map(({ id }) => id);
  const choose = async (model: string) => {
    try {
      client.setQueryData(keys.session(session.id), await api.updateSession(session.id, { model }));
      await client.invalidateQueries({ queryKey: keys.usage(session.id) });
    } catch (error) {
      toast({ title: "The model was not changed", detail: wordsOf(error), tone: "error" });
    }
  };
  return (
    <select
      aria-label="Model"
      className="max-w-full truncate rounded-lg bg-transparent px-2 py-1.5 text-sm text-ink-soft hover:bg-sunken"
      value={session.model}
      onChange={(event) => void choose(event.target.value)}
    >
      {[...new Set([session.model, ...names])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
