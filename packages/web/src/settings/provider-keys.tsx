import { type FormEvent, useState } from "react";
import type { ProviderKey } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Section } from "./section.tsx";

interface ProviderKeysProps {
  readonly providers: readonly ProviderKey[];
  readonly onSet: (provider: string, key: string | null) => void;
}

/** Keys entered here live in the server's memory only and are never shown again. */
export function ProviderKeys({ providers, onSet }: ProviderKeysProps) {
  return (
    <Section
      title="Provider keys"
      intro="A key entered here is kept in the server's memory until it stops. It is never written down and never shown again. To keep one for good, set its environment variable."
    >
      <ul>
        {providers.map((provider) => (
          <ProviderRow key={provider.provider} provider={provider} onSet={(key) => onSet(provider.provider, key)} />
        ))}
      </ul>
    </Section>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderKey;
  readonly onSet: (key: string | null) => void;
}

function ProviderRow({ provider, onSet }: ProviderRowProps) {
  const [key, setKey] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === "") return;
    onSet(key.trim());
    setKey("");
  };
  return (
    <li className="grid gap-x-6 gap-y-2 border-t border-line py-3 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_24rem] sm:items-center">
      <div>
        <span className="font-medium">{provider.label}</span>{" "}
        <Badge tone={provider.configured ? "good" : "plain"}>
          {provider.source === "config"
            ? "from the configuration"
            : provider.source === "memory"
              ? "in memory"
              : "no key"}
        </Badge>
        {provider.hint !== null && (
          <span className="ml-2 font-mono text-xs text-ink-soft">…{provider.hint.replace(/^…/, "")}</span>
        )}
        <p className="font-mono text-xs text-ink-soft">{provider.variable}</p>
      </div>
      <form onSubmit={submit} className="flex gap-2">
        <input
          type="password"
          autoComplete="off"
          aria-label={`Key for ${provider.label}`}
          placeholder={provider.configured ? "Replace the key" : "Enter a key"}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className="field min-w-0 flex-1"
        />
        <Button type="submit" disabled={key.trim() === ""} aria-label={`Save the key for ${provider.label}`}>
          Save
        </Button>
        {provider.source === "memory" && (
          <Button kind="danger" onClick={() => onSet(null)} aria-label={`Forget the key for ${provider.label}`}>
            Forget
          </Button>
        )}
      </form>
    </li>
  );
}
