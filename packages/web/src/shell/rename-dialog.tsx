import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Session } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";

interface RenameDialogProps {
  readonly session: Session;
  readonly open: boolean;
  readonly onClose: () => void;
}

export function RenameDialog({ session, open, onClose }: RenameDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Rename and tag">
      <RenameForm session={session} onClose={onClose} />
    </Dialog>
  );
}

function RenameForm({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const [title, setTitle] = useState(session.title);
  const [tags, setTags] = useState(session.tags.join(", "));
  const [problem, setProblem] = useState<string>();
  const client = useQueryClient();
  const save = async () => {
    try {
      const renamed = await api.updateSession(session.id, {
        title: title.trim(),
        tags: tags.split(/[,;]/).flatMap((tag) => tag.trim() || []),
      });
      client.setQueryData(keys.session(session.id), renamed);
      await client.invalidateQueries({ queryKey: keys.sessions });
      onClose();
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <Form className="grid gap-3" onSubmit={() => void save()}>
      <label className="grid gap-1 text-sm">
        Title
        <input
          dir="auto"
          className="field"
          value={title}
          maxLength={500}
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      <label className="grid gap-1 text-sm">
        Tags, with commas between them
        <input
          dir="auto"
          className="field"
          value={tags}
          placeholder="work, garden"
          onChange={(event) => setTags(event.target.value)}
        />
      </label>
      {problem !== undefined && <Notice tone="error">{problem}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={title.trim() === ""}>
          Save
        </Button>
      </div>
    </Form>
  );
}
