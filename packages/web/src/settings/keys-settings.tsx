import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { CreatedClientKey } from "../api/types.gen.ts";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { ClientKeys } from "./client-keys.tsx";
import { settingsApi, settingsKeys } from "./settings-api.ts";

export function KeysSettings() {
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedClientKey>();
  const list = useQuery({ queryKey: settingsKeys.keys, queryFn: settingsApi.listKeys });
  const onError = (error: unknown) => toast({ title: "That did not work", detail: wordsOf(error), tone: "error" });
  const refresh = () => client.invalidateQueries({ queryKey: settingsKeys.keys });
  const create = useMutation({
    mutationFn: settingsApi.createClientKey,
    onSuccess: (made) => {
      setCreated(made);
      void refresh();
    },
    onError,
  });
  const revoke = useMutation({ mutationFn: settingsApi.revokeClientKey, onSuccess: refresh, onError });
  if (list.error !== null) return <Notice tone="error">{wordsOf(list.error)}</Notice>;
  if (list.data === undefined) return null;
  return (
    <ClientKeys
      clients={list.data.clients}
      created={created}
      onCreate={(name) => create.mutate(name)}
      onRevoke={(id) => revoke.mutate(id)}
      onSeen={() => setCreated(undefined)}
    />
  );
}
