import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import { settingsApi } from "../api/settings-api.ts";
import type { Provider, ProviderList } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { formatTokens, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { kindWords, type ProviderKind } from "./provider-kinds.ts";

interface ProviderFormProps {
  readonly kinds: ProviderList["kinds"];
  /** The one to change; absent: a new one. */
  readonly provider?: Provider;
  readonly taken: readonly string[];
  readonly onDone: (name: string) => void;
  readonly onCancel: (() => void) | undefined;
}

export function ProviderForm({ kinds, provider, taken, onDone, onCancel }: ProviderFormProps) {
  const [kind, setKind] = useState<ProviderKind>(provider?.kind ?? "ollama");
  const [name, setName] = useState(provider?.name ?? freeName("ollama", taken));
  const [address, setAddress] = useState(provider?.baseUrl ?? "");
  const [key, setKey] = useState("");
  const id = useId();
  const usual = kinds.find((entry) => entry.kind === kind)?.baseUrl ?? null;
  const access = {
    kind,
    baseUrl: address.trim() === "" ? null : address.trim(),
    ...(key.trim() === "" ? {} : { key: key.trim() }),
  };
  const test = useMutation({
    mutationFn: () => settingsApi.testProvider({ ...access, ...(provider === undefined ? {} : { name }) }),
  });
  const save = useMutation({
    mutationFn: () => settingsApi.putProvider(name.trim(), access),
    onSuccess: () => onDone(name.trim()),
  });
  const choose = (next: ProviderKind) => {
    if (name === freeName(kind, taken)) setName(freeName(next, taken));
    setKind(next);
    setAddress("");
    test.reset();
  };
  return (
    <Form onSubmit={() => save.mutate()} className="grid grid-cols-1 gap-4">
      {provider === undefined && (
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Kind</legend>
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
            {(Object.keys(kindWords) as ProviderKind[]).map((one) => (
              <label
                key={one}
                className="cursor-pointer rounded-xl border border-line p-2.5 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="radio"
                  name={`${id}-kind`}
                  className="sr-only"
                  checked={one === kind}
                  onChange={() => choose(one)}
                />
                <span className="block text-sm font-medium">{kindWords[one].label}</span>
                <span className="block text-xs text-ink-soft">{kindWords[one].needs}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <div className="grid grid-cols-1 gap-3 text-sm sm:grid-cols-2">
        <label className="grid content-start gap-1">
          Name
          <input
            className="field"
            value={name}
            required
            maxLength={40}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            title="Letters, digits, dots and dashes"
            disabled={provider !== undefined}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className="grid content-start gap-1">
          Key {kindWords[kind].local && "(if it asks for one)"}
          <input
            className="field"
            type="password"
            autoComplete="off"
            placeholder={provider?.hint == null ? "" : `${provider.hint} stays unless you enter another`}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <label className="grid content-start gap-1 sm:col-span-2">
          Address
          <input
            className="field font-mono"
            type="url"
            required={usual === null}
            placeholder={usual ?? "https://…/v1"}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </label>
      </div>
      {test.isPending && <Spinner label="Asking for its models" />}
      {test.error !== null && <Notice tone="error">{wordsOf(test.error)}</Notice>}
      {test.data !== undefined && (
        <div className="rounded-xl border border-line p-3">
          <p className="mb-1 text-sm font-medium">It works: {plural(test.data.models.length, "model")}</p>
          <ModelWindows models={test.data.models} />
        </div>
      )}
      {save.error !== null && <Notice tone="error">{wordsOf(save.error)}</Notice>}
      <div className="flex flex-wrap justify-end gap-2">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
        <Button type="submit" kind="primary" disabled={save.isPending}>
          Save
        </Button>
      </div>
    </Form>
  );
}

/** The kind's own name, or the first numbered one that is free. */
function freeName(kind: ProviderKind, taken: readonly string[]): string {
  const own = kind === "generic" ? "my-server" : kind;
  for (let number = 1; ; number++) {
    const name = number === 1 ? own : `${own}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** Models with the size of their windows. */
export function ModelWindows({
  models,
}: {
  readonly models: readonly { readonly id: string; readonly window: number | null }[];
}) {
  return (
    <ul tabIndex={0} aria-label="Models" className="max-h-60 overflow-y-auto text-sm">
      {models.map(({ id, window }) => (
        <li key={id} className="flex justify-between gap-3 border-t border-line py-1 first:border-t-0">
          <span className="min-w-0 wrap-anywhere">{id}</span>
          <span className="whitespace-nowrap text-ink-soft">
            {window === null ? "window not stated" : `${formatTokens(window)} tokens`}
          </span>
        </li>
      ))}
    </ul>
  );
}
