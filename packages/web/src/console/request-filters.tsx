import type { ReactNode } from "react";
import type { RequestSummary } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { CloseIcon } from "../ui/icons.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Select } from "../ui/select.tsx";
import { type Filters, noFilters } from "./use-filters.ts";

interface RequestFiltersProps {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
  /** The requests whose values are offered as choices. */
  readonly items: readonly RequestSummary[];
  readonly children?: ReactNode;
}

export function RequestFilters({ filters, onChange, items, children }: RequestFiltersProps) {
  const models = distinct([filters.model, ...items.map(({ model }) => model)]);
  const clients = distinct([filters.client, ...items.map(({ client }) => client)]);
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <search className="flex flex-wrap items-center gap-2" aria-label="Filter requests">
      <SearchField
        id="page-search"
        label="Search requests"
        placeholder="Search ( / )"
        className="w-full! sm:w-44!"
        value={filters.q}
        onSearch={(q) => onChange({ q })}
      />
      <Select
        aria-label="Model"
        className="w-auto! max-w-44 text-sm"
        value={filters.model}
        options={[["", "All models"], ...models]}
        onChange={(model) => onChange({ model })}
      />
      <Select
        aria-label="Client"
        className="w-auto! max-w-44 text-sm"
        value={filters.client}
        options={[["", "All clients"], ...clients]}
        onChange={(client) => onChange({ client })}
      />
      <Select
        aria-label="Time"
        className="w-auto! text-sm"
        value={filters.within}
        options={times}
        onChange={(within) => onChange({ within })}
      />
      <Toggle on={filters.folded === "true"} onChange={(on) => onChange({ folded: on ? "true" : "" })}>
        Folded
      </Toggle>
      <Toggle on={filters.failed === "true"} onChange={(on) => onChange({ failed: on ? "true" : "" })}>
        Failed
      </Toggle>
      {filters.conversation !== "" && (
        <Button className="font-mono text-xs" onClick={() => onChange({ conversation: "" })}>
          <span className="sr-only">Remove filter: conversation </span>
          {filters.conversation.slice(0, 8)} <CloseIcon size={14} />
        </Button>
      )}
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange(noFilters)}>
          Clear
        </Button>
      )}
      <span className="ml-auto flex items-center gap-2">{children}</span>
    </search>
  );
}

interface ToggleProps {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly children: ReactNode;
}

function Toggle({ on, onChange, children }: ToggleProps) {
  return (
    <Button aria-pressed={on} className={on ? "border-accent bg-accent-soft" : ""} onClick={() => onChange(!on)}>
      {children}
    </Button>
  );
}

const times = [
  ["", "Any time"],
  ["15", "Last 15 minutes"],
  ["60", "Last hour"],
  ["1440", "Last day"],
  ["10080", "Last week"],
] as const;

const distinct = (values: readonly string[]) =>
  [...new Set(values)]
    .filter((value) => value !== "")
    .sort()
    .map((value) => [value, value] as const);
