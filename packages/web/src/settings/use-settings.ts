import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Settings, SettingValues } from "../api/types.gen.ts";
import { toast } from "../ui/toast.tsx";

export type SettingName = keyof SettingValues;

export interface SettingsOfScope {
  readonly data: Settings | undefined;
  readonly error: unknown;
  readonly saving: boolean;
  readonly set: (values: SettingValues) => void;
  readonly reset: (name: SettingName) => void;
}

/** The settings of a scope, saved one by one as they are changed. */
export function useSettings(scope: string): SettingsOfScope {
  const client = useQueryClient();
  const found = useQuery({ queryKey: keys.settings(scope), queryFn: () => api.getSettings(scope), staleTime: 0 });
  const save = useMutation({
    mutationFn: api.updateSettings,
    onSuccess: (data) => {
      client.setQueryData(keys.settings(scope), data);
      // Meters, model rows and other scopes inherit these values.
      void client.invalidateQueries({ queryKey: ["settings"] });
      void client.invalidateQueries({ queryKey: keys.models });
      void client.invalidateQueries({ queryKey: ["session"] });
    },
    onError: (error) => toast({ title: "Not saved", detail: wordsOf(error), tone: "error" }),
  });
  return {
    data: found.data,
    error: found.error,
    saving: save.isPending,
    set: (set) => save.mutate({ scope, set }),
    reset: (name) => save.mutate({ scope, reset: [name] }),
  };
}
