import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Summary, SummaryDetail } from "../api/types.gen.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { EditSummary } from "./edit-summary.tsx";
import { FoldedMessages } from "./folded-messages.tsx";
import { SourcedText } from "./sourced-text.tsx";
import { SummaryActions } from "./summary-actions.tsx";
import { SummaryDetails } from "./summary-details.tsx";
import { SummaryDiff } from "./summary-diff.tsx";

/** What an opened summary shows: its text, the originals, the difference, the details. */
export function SummaryBody({ summary }: { readonly summary: Summary }) {
  const { sessionId, id } = summary;
  const { data, error } = useQuery({
    queryKey: keys.summary(sessionId, id),
    queryFn: () => api.getSummary(sessionId, id),
  });
  return (
    <>
      {error !== null && <Notice tone="error">{wordsOf(error)}</Notice>}
      {data === undefined ? error === null && <Spinner /> : <SummaryTabs detail={data} />}
    </>
  );
}

function SummaryTabs({ detail }: { readonly detail: SummaryDetail }) {
  const [editing, setEditing] = useState(false);
  if (editing) return <EditSummary detail={detail} onClose={() => setEditing(false)} />;
  return (
    <>
      <Tabs
        label="Summary views"
        tabs={[
          { id: "summary", label: "Summary", content: <SourcedText detail={detail} /> },
          {
            id: "original",
            label: `Original (${detail.messagesIncluded})`,
            content: <FoldedMessages summary={detail} />,
          },
          { id: "diff", label: "Diff", content: <SummaryDiff detail={detail} /> },
          { id: "details", label: "Details", content: <SummaryDetails detail={detail} /> },
        ]}
      />
      <SummaryActions detail={detail} onEdit={() => setEditing(true)} />
    </>
  );
}
