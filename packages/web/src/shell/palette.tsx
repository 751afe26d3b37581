import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command as Cmdk } from "cmdk";
import { useDeferredValue, useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { Command } from "./commands.ts";
import { Keys } from "./shortcuts-dialog.tsx";

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly commands: readonly Command[];
}

/** One field that finds conversations by title and every command of the app. */
export function Palette({ open, onClose, commands }: PaletteProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Go to or do">
      <Choices commands={commands} onClose={onClose} />
    </Dialog>
  );
}

function Choices({ commands, onClose }: Omit<PaletteProps, "open">) {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState("");
  const search = words.trim();
  const asked = useDeferredValue(search);
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: [...keys.sessionList(asked), "palette"],
    queryFn: () => api.listSessions(asked),
    placeholderData: (previous) => previous,
  });
  // Filters by the current text of the field: with a list that lags behind, Enter would run the first command of the
  // unfiltered list.
  const matches = (name: string) => name.toLowerCase().includes(search.toLowerCase());
  const sessions = (data?.sessions ?? []).filter(({ title }) => matches(title)).slice(0, 8);
  const found = commands.slice(1).filter(({ name }) => matches(name));
  // The list changes while somebody types. If the selected entry is gone, Enter would do nothing, so the first one is
  // selected.
  const values = [...found.map(({ name }) => `do ${name}`), ...sessions.map(({ id }) => `go ${id}`)];
  const selected = values.includes(chosen) ? chosen : (values[0] ?? "");
  const choose = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Cmdk label="Go to or do" shouldFilter={false} loop value={selected} onValueChange={setChosen}>
      <Cmdk.Input
        className="field"
        placeholder="A conversation’s title, or something to do"
        value={words}
        onValueChange={setWords}
      />
      <Cmdk.List label="Found" className="mt-3 max-h-80 overflow-y-auto text-sm">
        {sessions.length === 0 && found.length === 0 && (
          <Cmdk.Empty className="px-2.5 py-2 text-ink-soft">Nothing matches.</Cmdk.Empty>
        )}
        {found.length > 0 && (
          <Cmdk.Group heading="Do" className="text-xs text-ink-soft">
            {found.map(({ name, keys: pressed, run }) => (
              <Choice key={name} value={`do ${name}`} onSelect={choose(run)}>
                <span className="flex-1">{name}</span>
                {pressed !== undefined && <Keys keys={pressed} />}
              </Choice>
            ))}
          </Cmdk.Group>
        )}
        {sessions.length > 0 && (
          <Cmdk.Group heading="Conversations" className="text-xs text-ink-soft">
            {sessions.map(({ id, title }) => (
              <Choice
                key={id}
                value={`go ${id}`}
                onSelect={choose(() => void navigate({ to: "/s/$sessionId", params: { sessionId: id } }))}
              >
                <span dir="auto" className="flex-1 truncate">
                  {title}
                </span>
              </Choice>
            ))}
          </Cmdk.Group>
        )}
      </Cmdk.List>
    </Cmdk>
  );
}

function Choice({ children, ...item }: { value: string; onSelect: () => void; children: React.ReactNode }) {
  return (
    <Cmdk.Item
      {...item}
      className="flex cursor-default items-center gap-2 rounded-lg px-2.5 py-2 text-sm text-ink data-[selected=true]:bg-accent-soft"
    >
      {children}
    </Cmdk.Item>
  );
}
