import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { settingsApi } from "../settings/settings-api.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

/** Tells the server the size of a window it does not know. */
export function SetWindow({ model, sessionId }: { readonly model: string; readonly sessionId: string }) {
  const [tokens, setTokens] = useState("");
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => settingsApi.updateModel({ id: model, set: { window: Number(tokens) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.models });
      void client.invalidateQueries({ queryKey: keys.usage(sessionId) });
    },
  });
  return (
    <form
      className="grid gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label htmlFor="set-window">Window of {model}, in tokens</label>
      <div className="flex gap-2">
        <input
          id="set-window"
          className="field py-1.5"
          type="number"
          min={256}
          max={100_000_000}
          required
          placeholder="such as 131072"
          value={tokens}
          onChange={(event) => setTokens(event.target.value)}
        />
        <Button type="submit" disabled={save.isPending}>
          Set
        </Button>
      </div>
      {save.error !== null && <Notice tone="error">{wordsOf(save.error)}</Notice>}
    </form>
  );
}
