import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Popover as Radix } from "radix-ui";
import { useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Model } from "../api/types.gen.ts";
import { formatTokens } from "../ui/format.ts";
import { CheckIcon, DownIcon } from "../ui/icons.tsx";

interface ModelPickerProps {
  readonly model: string;
  readonly onChange: (model: string) => void;
}

/** Chooses among the available models, by provider, with a search. */
export function ModelPicker({ model, onChange }: ModelPickerProps) {
  const [open, setOpen] = useState(false);
  const { data } = useQuery({ queryKey: keys.models, queryFn: api.listModels, enabled: open });
  const usable = (data?.models ?? []).filter(({ available }) => available);
  const choose = (id: string) => {
    setOpen(false);
    if (id !== model) onChange(id);
  };
  return (
    <Radix.Root open={open} onOpenChange={setOpen}>
      <Radix.Trigger
        aria-label={`Model: ${model}`}
        className="inline-flex min-h-9 max-w-full items-center gap-1 rounded-lg px-2 text-sm text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <span className="truncate">{model}</span>
        <DownIcon size={15} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label="Models"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-40 w-88 max-w-[calc(100vw-1.5rem)] rounded-xl border border-line bg-raised p-2 text-sm shadow-float"
        >
          <Command label="Models" loop>
            <Command.Input className="field" placeholder="Find a model" />
            <Command.List label="Found models" className="mt-2 max-h-72 overflow-y-auto">
              <Command.Empty className="px-2.5 py-2 text-ink-soft">No model matches.</Command.Empty>
              {[...Map.groupBy(usable, providerOf)].map(([provider, models]) => (
                <Command.Group key={provider} heading={provider} className="text-xs text-ink-soft">
                  {models.map(({ id, window }) => (
                    <Command.Item
                      key={id}
                      value={id}
                      onSelect={() => choose(id)}
                      className="flex cursor-default items-center gap-2 rounded-lg px-2.5 py-1.5 text-sm text-ink data-[selected=true]:bg-accent-soft"
                    >
                      <span className="min-w-0 flex-1 truncate">{id}</span>
                      <span className="text-xs text-ink-soft">{formatTokens(window)}</span>
                      <span className="w-4">{id === model && <CheckIcon size={15} />}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const providerOf = ({ demo, provider }: Model): string => (demo ? "Built in" : (provider ?? "Other"));
