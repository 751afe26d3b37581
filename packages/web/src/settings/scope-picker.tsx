import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Model } from "../api/types.gen.ts";

interface ScopePickerProps {
  readonly scope: string;
  readonly onChange: (scope: string) => void;
  readonly models: readonly Model[];
}

/** For what the settings below hold. What is set for less wins over what is set for more. */
export function ScopePicker({ scope, onChange, models }: ScopePickerProps) {
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
