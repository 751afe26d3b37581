import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Model } from "../api/types.gen.ts";
import { useConversation } from "../conversation/use-conversation.ts";
import { FoldDialog } from "../fold/fold-dialog.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { Button } from "../ui/button.tsx";
import { FoldIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { TextControl } from "./controls.tsx";
import { FoldSettings } from "./fold-settings.tsx";
import { KeysSettings } from "./keys-settings.tsx";
import { ModelsTable } from "./models-table.tsx";
import { Section } from "./section.tsx";
import { SettingRow, SettingSearch } from "./setting-row.tsx";
import { SummarySettings } from "./summary-settings.tsx";
import { type SettingsOfScope, useSettings } from "./use-settings.ts";
import { NumberSetting, SwitchSetting } from "./value-settings.tsx";

const sections = ["When to summarize", "Summaries", "New conversations", "Models", "Client keys"];

export function SettingsPage() {
  const { scope = "global" } = useSearch({ from: "/settings" });
  const navigate = useNavigate();
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const settings = useSettings(scope);
  const rows = models.data?.models ?? [];
  const names = rows.filter(({ available }) => available).map(({ id }) => id);
  const defaultModel = settings.data?.values.defaultModel?.value;
  const about = useModelOf(scope, rows, typeof defaultModel === "string" ? defaultModel : undefined);
  const failure = settings.error ?? models.error;
  const [search, setSearch] = useState("");
  const words = search.trim().toLowerCase();
  return (
    <>
      <PageHeader title="Settings">
        <output className="text-sm text-ink-soft">{settings.saving ? "Saving…" : ""}</output>
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-5xl space-y-4 p-3 sm:p-5">
          <ScopePicker
            scope={scope}
            models={rows}
            onChange={(next) => void navigate({ to: "/settings", search: next === "global" ? {} : { scope: next } })}
          />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField
              id="page-search"
              label="Find a setting"
              className="w-56! py-1.5"
              value={search}
              onSearch={setSearch}
            />
            {scope === "global" && words === "" && (
              <nav aria-label="Sections" className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
                {sections.map((title) => (
                  <button
                    key={title}
                    type="button"
                    className="text-accent underline underline-offset-2"
                    onClick={() => document.querySelector(`[data-section="${title}"]`)?.scrollIntoView()}
                  >
                    {title}
                  </button>
                ))}
                <Link to="/providers" className="text-accent underline underline-offset-2">
                  Providers
                </Link>
              </nav>
            )}
          </div>
          {failure !== null && <Notice tone="error">{wordsOf(failure)}</Notice>}
          {settings.data === undefined && failure === null && <Spinner />}
          {settings.data !== undefined && (
            <SettingSearch value={words}>
              <div key={scope} data-searching={words !== ""} className="space-y-4">
                {scope.startsWith("session:") && <SessionSection sessionId={scope.slice("session:".length)} />}
                <FoldSettings settings={settings} model={about} />
                <SummarySettings settings={settings} modelNames={names} />
                {scope === "global" && <NewSessionSettings settings={settings} modelNames={names} />}
              </div>
            </SettingSearch>
          )}
          {scope === "global" && words === "" && models.data !== undefined && <ModelsTable models={rows} />}
          {scope === "global" && words === "" && <KeysSettings />}
        </div>
      </div>
    </>
  );
}

/** The model of a scope: its own, the conversation's, or the one new conversations get. */
function useModelOf(scope: string, models: readonly Model[], defaultModel: string | undefined): Model | undefined {
  const sessionId = scope.startsWith("session:") ? scope.slice("session:".length) : undefined;
  const session = useQuery({
    queryKey: keys.session(sessionId ?? ""),
    queryFn: () => api.getSession(sessionId ?? ""),
    enabled: sessionId !== undefined,
  });
  if (scope.startsWith("provider:")) return undefined;
  const name = scope.startsWith("model:") ? scope.slice("model:".length) : (session.data?.model ?? defaultModel);
  return models.find(({ id }) => id === name);
}

interface NewSessionSettingsProps {
  readonly settings: SettingsOfScope;
  readonly modelNames: readonly string[];
}

function NewSessionSettings({ settings, modelNames }: NewSessionSettingsProps) {
  const value = <TValue,>(name: string) => settings.data?.values[name]?.value as TValue;
  return (
    <Section title="New conversations">
      <SettingRow settings={settings} name="defaultModel" label="Model">
        {(ids) => (
          <TextControl
            ids={ids}
            empty="midfold-demo"
            suggestions={modelNames}
            value={value<string>("defaultModel")}
            onChange={(model) =>
              model === null ? settings.reset("defaultModel") : settings.set({ defaultModel: model })
            }
          />
        )}
      </SettingRow>
      <NumberSetting
        settings={settings}
        name="temperature"
        label="Temperature"
        help="How freely the model chooses its words."
        empty="the model's own"
        min={0}
        max={2}
        unit=""
      />
      <SettingRow
        settings={settings}
        name="systemPrompt"
        label="System prompt"
        wide
        help="For conversations that have none of their own."
      >
        {(ids) => (
          <TextControl
            ids={ids}
            lines={3}
            empty="None"
            value={value<string | null>("systemPrompt")}
            onChange={(systemPrompt) => settings.set({ systemPrompt })}
          />
        )}
      </SettingRow>
      <SwitchSetting
        settings={settings}
        name="modelTitles"
        label="Titles by a model"
        help="After the first reply the model that writes summaries names the conversation: one short request. Off: its first words are its title. A name you gave stays."
      />
    </Section>
  );
}

interface ScopePickerProps {
  readonly scope: string;
  readonly onChange: (scope: string) => void;
  readonly models: readonly Model[];
}

/** Chooses what the settings below apply to. The narrower scope overrides the wider one. */
function ScopePicker({ scope, onChange, models }: ScopePickerProps) {
  const sessions = useQuery({ queryKey: [...keys.sessions, "scopes"], queryFn: () => api.listSessions("") });
  const usable = models.filter(({ available, overrides }) => available || overrides.length > 0);
  const others = models.filter((model) => !usable.includes(model));
  const providers = [...new Set(models.flatMap(({ provider }) => provider ?? []))].sort();
  const listed = sessions.data?.sessions ?? [];
  const known =
    scope === "global" ||
    providers.some((name) => scope === `provider:${name}`) ||
    models.some(({ id }) => scope === `model:${id}`) ||
    listed.some(({ id }) => scope === `session:${id}`);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <label htmlFor="scope" className="font-medium">
        Settings for
      </label>
      <select
        id="scope"
        value={scope}
        onChange={(event) => onChange(event.target.value)}
        className="field w-auto! max-w-full"
      >
        <option value="global">all conversations</option>
        {!known && <option value={scope}>{scope}</option>}
        <optgroup label="A conversation">
          {listed.map(({ id, title }) => (
            <option key={id} value={`session:${id}`}>
              {title === "" ? "Untitled" : title}
            </option>
          ))}
        </optgroup>
        <optgroup label="A model">
          {[...usable, ...others].map(({ id }) => (
            <option key={id} value={`model:${id}`}>
              {id}
            </option>
          ))}
        </optgroup>
        <optgroup label="A provider">
          {providers.map((name) => (
            <option key={name} value={`provider:${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
      <p className="basis-full text-sm text-ink-soft">
        A conversation's own value wins over its model's, that over its provider's, that over the one for all
        conversations.
      </p>
    </div>
  );
}

/** Actions on the conversation whose settings are shown. */
function SessionSection({ sessionId }: { readonly sessionId: string }) {
  const [folding, setFolding] = useState(false);
  const [, conversation] = useConversation(sessionId);
  return (
    <Section title="This conversation">
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => setFolding(true)}>
          <FoldIcon size={15} /> Summarize conversation history
        </Button>
        <Link to="/s/$sessionId" params={{ sessionId }} className="text-sm text-accent underline underline-offset-2">
          Go to the conversation
        </Link>
      </div>
      <FoldDialog sessionId={sessionId} open={folding} onClose={() => setFolding(false)} conversation={conversation} />
    </Section>
  );
}
