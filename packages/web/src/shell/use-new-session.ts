import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { toast } from "../ui/toast.tsx";

/** Ways to come to a new conversation: empty, from a file, or the built-in example. */
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
    mutationFn: () => api.createSession({}),
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
      api.importSession({ content: await file.text(), title: file.name.replace(/\.\w+$/, "") }),
    onSuccess: ({ session, imported, skipped }) => {
      open(session);
      toast({
        title: `Imported ${imported} messages`,
        detail: skipped === 0 ? undefined : `${skipped} entries of the file were not messages.`,
      });
    },
    onError,
  });
  return { create, loadExample, importFile, busy: creating || loading || importing };
}
