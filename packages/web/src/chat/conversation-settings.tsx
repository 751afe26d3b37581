import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session, Settings } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { ModelPicker } from "./model-picker.tsx";

interface ConversationSettingsProps {
  readonly session: Session;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Settings of one conversation: its model, system prompt and temperature, and which model writes its summaries. */
export function ConversationSettings({ session, open, onClose }: ConversationSettingsProps) {
  const scope = `session:${session.id}`;
  const { data, error } = useQuery({
    queryKey: keys.settings(scope),
    queryFn: () => api.getSettings(scope),
    enabled: open,
  });
  return (
    <Dialog open={open} onClose={onClose} title="Model and prompt">
      {error !== null && <Notice tone="error">{wordsOf(error)}</Notice>}
      {data === undefined && error === null && <Spinner />}
      {data !== undefined && <SettingsForm session={session} settings={data} onClose={onClose} />}
    </Dialog>
  );
}

interface SettingsFormProps {
  readonly session: Session;
  readonly settings: Settings;
  readonly onClose: () => void;
}

function SettingsForm({ session, settings, onClose }: SettingsFormProps) {
  const client = useQueryClient();
  const { own, values } = settings;
  const inherited = values.systemPrompt?.value;
  const [model, setModel] = useState(session.model);
  const [system, setSystem] = useState(session.system ?? "");
  const [temperature, setTemperature] = useState(own.temperature == null ? "" : String(own.temperature));
  const [summaryModel, setSummaryModel] = useState(own.summaryModel ?? "");
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const usable = models.data?.models.filter(({ available, demo }) => available && !demo) ?? [];
  const save = useMutation({
    mutationFn: async () => {
      const changed = {
        ...(model === session.model ? {} : { model }),
        ...(system === (session.system ?? "") ? {} : { system: system.trim() === "" ? null : system }),
      };
      if (Object.keys(changed).length > 0) {
        client.setQueryData(keys.session(session.id), await api.updateSession(session.id, changed));
      }
      await api.updateSettings({
        scope: `session:${session.id}`,
        set: {
          ...(temperature === "" ? {} : { temperature: Number(temperature) }),
          ...(summaryModel === "" ? {} : { summaryModel }),
        },
        reset: [
          ...(temperature === "" ? ["temperature" as const] : []),
          ...(summaryModel === "" ? ["summaryModel" as const] : []),
        ],
      });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["settings"] });
      void client.invalidateQueries({ queryKey: ["session", session.id] });
      onClose();
    },
  });
  return (
    <Form onSubmit={() => save.mutate()} className="grid grid-cols-1 gap-4 text-sm">
      <div>
        <span className="block">Model</span>
        <ModelPicker model={model} onChange={setModel} />
      </div>
      <label className="grid gap-1">
        System prompt
        <textarea
          dir="auto"
          className="field min-h-28"
          rows={5}
          maxLength={200_000}
          placeholder={
            typeof inherited === "string" ? inherited : "None. Tells the model how to answer, in every request."
          }
          value={system}
          onChange={(event) => setSystem(event.target.value)}
        />
      </label>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <label className="grid content-start gap-1">
          Temperature
          <input
            className="field"
            type="number"
            min={0}
            max={2}
            step={0.1}
            placeholder="the model’s own"
            value={temperature}
            onChange={(event) => setTemperature(event.target.value)}
          />
        </label>
        <label className="grid content-start gap-1">
          Model that writes summaries
          <Select
            value={summaryModel}
            onChange={setSummaryModel}
            options={[["", "Default"], ...usable.map(({ id }) => [id, id] as const)]}
          />
        </label>
      </div>
      {save.error !== null && <Notice tone="error">{wordsOf(save.error)}</Notice>}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Link
          to="/settings"
          search={{ scope: `session:${session.id}` }}
          className="mr-auto text-accent underline underline-offset-2"
        >
          All settings of this conversation
        </Link>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={save.isPending}>
          Save
        </Button>
      </div>
    </Form>
  );
}
