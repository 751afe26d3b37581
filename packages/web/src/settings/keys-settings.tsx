import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import { settingsApi, settingsKeys } from "../api/settings-api.ts";
import type { ClientKey, CreatedClientKey } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { CopyTextButton } from "../ui/copy-button.tsx";
import { Form } from "../ui/form.tsx";
import { formatTime } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { Section } from "./section.tsx";

export function KeysSettings() {
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedClientKey>();
  const list = useQuery({ queryKey: settingsKeys.keys, queryFn: settingsApi.listKeys });
  const onError = (error: unknown) => toast({ title: "That did not work", detail: wordsOf(error), tone: "error" });
  const refresh = () => client.invalidateQueries({ queryKey: settingsKeys.keys });
  const create = useMutation({
    mutationFn: settingsApi.createClientKey,
    onSuccess: (made) => {
      setCreated(made);
      void refresh();
    },
    onError,
  });
  const revoke = useMutation({ mutationFn: settingsApi.revokeClientKey, onSuccess: refresh, onError });
  if (list.error !== null) return <Notice tone="error">{wordsOf(list.error)}</Notice>;
  if (list.data === undefined) return null;
  return (
    <ClientKeys
      clients={list.data.clients}
      created={created}
      onCreate={(name) => create.mutate(name)}
      onRevoke={(id) => revoke.mutate(id)}
      onSeen={() => setCreated(undefined)}
    />
  );
}

interface ClientKeysProps {
  readonly clients: readonly ClientKey[];
  readonly created: CreatedClientKey | undefined;
  readonly onCreate: (name: string) => void;
  readonly onRevoke: (id: string) => void;
  readonly onSeen: () => void;
}

/** Keys that identify clients and give them access. */
function ClientKeys({ clients, created, onCreate, onRevoke, onSeen }: ClientKeysProps) {
  const [name, setName] = useState("");
  const [revoking, setRevoking] = useState<ClientKey>();
  const submit = () => {
    if (name.trim() === "") return;
    onCreate(name.trim());
    setName("");
  };
  return (
    <Section
      title="Client keys"
      intro="For clients of the gateway. Each has its own conversations and shows up by its name in the console. Keys are asked for when server.keys is required."
    >
      <Form onSubmit={submit} className="flex flex-wrap gap-2">
        <input
          aria-label="Name of the new key"
          placeholder="Name, such as “laptop”"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="field w-56!"
        />
        <Button type="submit" disabled={name.trim() === ""}>
          Create a key
        </Button>
      </Form>
      {created !== undefined && (
        <div className="mt-3">
          <Notice
            tone="warn"
            action={
              <span className="flex gap-2">
                <CopyTextButton text={created.key} label="Copy the key" />
                <Button onClick={onSeen}>Done</Button>
              </span>
            }
          >
            <p>This is the key of “{created.name}”. It is shown this once:</p>
            <code data-new-key className="font-mono text-sm break-all">
              {created.key}
            </code>
          </Notice>
        </div>
      )}
      <ul className="mt-2">
        {clients.map((client) => (
          <li
            key={client.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2.5 first:border-t-0"
          >
            <span className="font-medium">{client.name}</span>
            <span className="font-mono text-xs text-ink-soft">{client.hint}</span>
            <span className="text-sm text-ink-soft">
              made {formatTime(client.createdAt)},{" "}
              {client.lastUsedAt === null ? "never used" : `last used ${formatTime(client.lastUsedAt)}`}
            </span>
            <span className="ml-auto">
              {client.revokedAt === null ? (
                <Button
                  kind="danger"
                  aria-label={`Revoke the key “${client.name}”`}
                  onClick={() => setRevoking(client)}
                >
                  Revoke
                </Button>
              ) : (
                <Badge tone="alarm">revoked {formatTime(client.revokedAt)}</Badge>
              )}
            </span>
          </li>
        ))}
        {clients.length === 0 && <li className="py-2 text-sm text-ink-soft">None yet.</li>}
      </ul>
      <Confirm
        open={revoking !== undefined}
        title="Revoke this key?"
        action="Revoke"
        onConfirm={() => revoking !== undefined && onRevoke(revoking.id)}
        onClose={() => setRevoking(undefined)}
      >
        Clients that use “{revoking?.name}” are refused from now on. This cannot be undone.
      </Confirm>
    </Section>
  );
}
