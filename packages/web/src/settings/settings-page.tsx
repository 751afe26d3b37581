import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Model } from "../api/types.gen.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { CompressionSettings } from "./compression-settings.tsx";
import { KeysSettings } from "./keys-settings.tsx";
import { ModelsTable } from "./models-table.tsx";
import { NewSessionSettings } from "./new-session-settings.tsx";
import { ScopePicker } from "./scope-picker.tsx";
import { SessionSection } from "./session-section.tsx";
import { SettingSearch } from "./setting-row.tsx";
import { SummarySettings } from "./summary-settings.tsx";
import { useSettings } from "./use-settings.ts";

const sections = ["Automatic compression", "Summaries", "New conversations", "Models", "Client keys"];

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
            <input
              id="page-search"
              type="search"
              aria-label="Find a setting"
              placeholder="Find a setting"
              className="field w-56! py-1.5 text-sm"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
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
                <CompressionSettings settings={settings} model={about} />
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

/** The model a scope is about: its own, the conversation's, or the one new conversations get. */
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
