import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConversation } from "../chat/use-conversation.ts";
import { CompressDialog } from "../fold/compress-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { FoldIcon } from "../ui/icons.tsx";
import { Section } from "./section.tsx";

/** What can be done to the conversation whose settings these are. */
export function SessionSection({ sessionId }: { readonly sessionId: string }) {
  const [compressing, setCompressing] = useState(false);
  const [, conversation] = useConversation(sessionId);
  return (
    <Section title="This conversation">
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => setCompressing(true)}>
          <FoldIcon size={15} /> Summarize conversation history
        </Button>
        <Link to="/s/$sessionId" params={{ sessionId }} className="text-sm text-accent underline underline-offset-2">
          Go to the conversation
        </Link>
      </div>
      <CompressDialog
        sessionId={sessionId}
        open={compressing}
        onClose={() => setCompressing(false)}
        conversation={conversation}
      />
    </Section>
  );
}
