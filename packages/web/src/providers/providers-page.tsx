import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { settingsApi, settingsKeys } from "../api/settings-api.ts";
import type { Model, Provider } from "../api/types.gen.ts";
import { Section } from "../settings/section.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { useNewSession } from "../shell/use-new-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { plural } from "../ui/format.ts";
import { ChatIcon, EditIcon, PlusIcon, TrashIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { ModelWindows, ProviderForm } from "./provider-form.tsx";
import { labelOf } from "./provider-kinds.ts";

/** The providers: those this person entered, and those the server was started with. */
export function ProvidersPage() {
  const client = useQueryClient();
  const providers = useQuery({ queryKey: settingsKeys.providers, queryFn: settingsApi.listProviders });
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const configured = useQuery({ queryKey: settingsKeys.keys, queryFn: settingsApi.listKeys });
  const [editing, setEditing] = useState<Provider | "new">();
  const [removing, setRemoving] = useState<Provider>();
  const { create, busy } = useNewSession();
  const changed = () => {
    void client.invalidateQueries({ queryKey: settingsKeys.providers });
    void client.invalidateQueries({ queryKey: keys.models });
  };
  const remove = useMutation({
    mutationFn: settingsApi.removeProvider,
    onSuccess: changed,
    onError: (error) => toast({ title: "It was not removed", detail: wordsOf(error), tone: "error" }),
  });
  const failure = providers.error ?? models.error;
  const own = providers.data?.providers ?? [];
  const fromConfig = configured.data?.providers.filter(({ source }) => source === "config") ?? [];
  const adding = editing === "new" || (providers.data !== undefined && own.length === 0 && editing === undefined);
  return (
    <>
      <PageHeader title="Providers" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl space-y-4 p-3 sm:p-5">
          <p className="text-ink-soft">
            A provider is a server that runs models: a service you have a key for, or a program on your own machine.
            Keys are stored encrypted, for you alone.
          </p>
          {failure !== null && <Notice tone="error">{wordsOf(failure)}</Notice>}
          {providers.data === undefined && failure === null && <Spinner />}
          {own.map((provider) =>
            editing === provider ? (
              <Section key={provider.name} title={`Change ${provider.name}`}>
                <ProviderForm
                  kinds={providers.data?.kinds ?? []}
                  provider={provider}
                  taken={[]}
                  onDone={() => {
                    setEditing(undefined);
                    changed();
                  }}
                  onCancel={() => setEditing(undefined)}
                />
              </Section>
            ) : (
              <ProviderCard
                key={provider.name}
                provider={provider}
                models={models.data?.models.filter((model) => model.provider === provider.name && model.available)}
                onEdit={() => setEditing(provider)}
                onRemove={() => setRemoving(provider)}
              />
            ),
          )}
          {adding && providers.data !== undefined ? (
            <Section title="Add a provider">
              <ProviderForm
                kinds={providers.data.kinds}
                taken={own.map(({ name }) => name)}
                onDone={(name) => {
                  setEditing(undefined);
                  changed();
                  toast({
                    title: `${name} is ready`,
                    detail: "New conversations use its models.",
                    actions: [{ label: "New conversation", onClick: () => create() }],
                  });
                }}
                onCancel={own.length === 0 ? undefined : () => setEditing(undefined)}
              />
            </Section>
          ) : (
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setEditing("new")}>
                <PlusIcon /> Add a provider
              </Button>
              {own.length > 0 && (
                <Button kind="primary" disabled={busy} onClick={() => create()}>
                  <ChatIcon /> New conversation
                </Button>
              )}
            </div>
          )}
          {fromConfig.length > 0 && (
            <Section
              title="From the server’s configuration"
              intro="Set in its environment or midfold.yaml. They go before what is entered here, and are changed there."
            >
              <ul>
                {fromConfig.map(({ provider, label, variable, hint }) => (
                  <li
                    key={provider}
                    className="flex flex-wrap items-center gap-2 border-t border-line py-2 first:border-t-0"
                  >
                    <span className="font-medium">{label}</span>
                    <Badge tone="good">in use</Badge>
                    <span className="font-mono text-xs text-ink-soft">
                      {variable} {hint !== null && hint}
                    </span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
      </div>
      <Confirm
        open={removing !== undefined}
        title="Remove this provider?"
        action="Remove"
        onConfirm={() => removing !== undefined && remove.mutate(removing.name)}
        onClose={() => setRemoving(undefined)}
      >
        “{removing?.name}” and its key are forgotten. Conversations stay; those that use its models need another one.
      </Confirm>
    </>
  );
}

interface ProviderCardProps {
  readonly provider: Provider;
  readonly models: readonly Model[] | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function ProviderCard({ provider, models, onEdit, onRemove }: ProviderCardProps) {
  const { name, kind, baseUrl, hint } = provider;
  return (
    <Section title={name}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Badge>{labelOf(kind)}</Badge>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-soft">
          {baseUrl ?? "usual address"} {hint !== null && `· key ${hint}`}
        </span>
        <Button onClick={onEdit} aria-label={`Change ${name}`}>
          <EditIcon size={15} /> Change
        </Button>
        <Button kind="danger" onClick={onRemove} aria-label={`Remove ${name}`}>
          <TrashIcon size={15} /> Remove
        </Button>
      </div>
      <div className="mt-3">
        {models === undefined ? (
          <Spinner label="Asking for its models" />
        ) : models.length === 0 ? (
          <Notice tone="warn">It does not say which models it has. Is it running, and is the key right?</Notice>
        ) : (
          <Disclosure summary={plural(models.length, "model")}>
            <ModelWindows models={models} />
          </Disclosure>
        )}
      </div>
    </Section>
  );
}
