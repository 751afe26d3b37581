import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { plural } from "../ui/format.ts";
import { toast } from "../ui/toast.tsx";

/** The server's title of a conversation without a name. */
const untitled = "New conversation";

/** Ways to start a conversation: empty, from a file, or from the built-in example. */
export function useNewSession() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const open = (session: Session) => {
    client.setQueryData(keys.session(session.id), session);
    void client.invalidateQueries({ queryKey: keys.sessions });
    void navigate({ to: "/s/$sessionId", params: { sessionId: session.id } });
  };
  const onError = (error: unknown) => toast({ title: "That did not work", detail: wordsOf(error), tone: "error" });
  const { mutate: create, isPending: creating } = useMutation({
    mutationFn: async () => {
      const [{ sessions }, { defaultModel }] = await Promise.all([
        api.listSessions(""),
        client.fetchQuery({ queryKey: keys.models, queryFn: api.listModels }),
      ]);
      // An empty conversation is used again instead of making a second one.
      const empty = sessions.find(
        ({ messageCount, title, system }) => messageCount === 0 && title === untitled && system === null,
      );
      if (empty === undefined) return api.createSession({});
      return empty.model === defaultModel ? empty : api.updateSession(empty.id, { model: defaultModel });
    },
    onSuccess: open,
    onError,
  });
  const { mutate: loadExample, isPending: loading } = useMutation({
    mutationFn: () => api.loadExample(),
    onSuccess: open,
    onError,
  });
  const { mutate: importFile, isPending: importing } = useMutation({
    mutationFn: async (file: File) =>
      api.importSession({ content: await file.text(), fileName: file.name.replace(/\.\w+$/, "") }),
    onSuccess: ({ session, sessions, imported, skipped, warnings }) => {
      open(session);
      const notMessages =
        skipped === 0 ? [] : [`${plural(skipped, "entry", "entries")} of the file were not messages.`];
      const told = [...notMessages, ...warnings];
      toast({
        title:
          sessions.length === 1
            ? `Imported ${plural(imported, "message")}`
            : `Imported ${sessions.length} conversations`,
        detail: told.length === 0 ? undefined : told.slice(0, 5).join(" "),
      });
    },
    onError,
  });
  return { create, loadExample, importFile, busy: creating || loading || importing };
}
