import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { SummaryDetail } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export function EditSummary({ detail, onClose }: { readonly detail: SummaryDetail; readonly onClose: () => void }) {
  const [text, setText] = useState(detail.text);
  const [problem, setProblem] = useState<string>();
  const client = useQueryClient();
  const save = async () => {
    try {
      await api.editSummary(detail.sessionId, detail.id, text);
      await client.invalidateQueries({ queryKey: keys.summaries(detail.sessionId) });
      onClose();
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <form
      className="grid gap-2 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        aria-label="Summary text"
        className="field min-h-56 text-sm"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== undefined && <Notice tone="error">{problem}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={text.trim() === "" || text === detail.text}>
          Save as a new version
        </Button>
      </div>
    </form>
  );
}
