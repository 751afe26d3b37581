import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { api } from "../api/api.ts";
import { ApiError, wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Message, UserPart } from "../api/types.gen.ts";
import { CompressDialog } from "../fold/compress-dialog.tsx";
import { SummaryBar } from "../fold/summary-bar.tsx";
import { useFoldNews } from "../fold/use-fold-news.ts";
import { Meter } from "../meter/meter.tsx";
import { useUsage } from "../meter/use-usage.ts";
import { commandEvent } from "../shell/commands.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { Composer } from "./composer.tsx";
import { EmptyChat } from "./empty-chat.tsx";
import { MessageList } from "./message-list.tsx";
import { ModelPicker } from "./model-picker.tsx";
import { SessionTools } from "./session-tools.tsx";
import { takeOut } from "./take-out.ts";
import { TurnFailed } from "./turn-failed.tsx";
import { useConversation } from "./use-conversation.ts";
import { useTurns } from "./use-turns.ts";

const drafts = new Map<string, string>();

export function ChatPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId" });
  return <Chat key={sessionId} sessionId={sessionId} />;
}

function Chat({ sessionId }: { readonly sessionId: string }) {
  const session = useQuery({ queryKey: keys.session(sessionId), queryFn: () => api.getSession(sessionId) });
  const summaries = useQuery({ queryKey: keys.summaries(sessionId), queryFn: () => api.listSummaries(sessionId) });
  const [state, conversation] = useConversation(sessionId);
  const turns = useTurns(conversation);
  const [draft, setDraft] = useState(drafts.get(sessionId) ?? "");
  const [compressing, setCompressing] = useState(false);
  const usage = useUsage(sessionId, draft);
  const hash = useRouterState({ select: (router) => router.location.hash });
  const [target, setTarget] = useState<{ readonly messageId: string; readonly at: number }>();
  useFoldNews(conversation);

  useEffect(() => {
    drafts.set(sessionId, draft);
  }, [sessionId, draft]);
  useEffect(() => {
    const open = (event: Event) => {
      if (event instanceof CustomEvent && event.detail === "summarize") setCompressing(true);
    };
    addEventListener(commandEvent, open);
    return () => removeEventListener(commandEvent, open);
  }, []);
  useEffect(() => {
    const messageId = hash === "summary" ? "fold" : /^m-(.+)$/.exec(hash)?.[1];
    if (messageId === undefined || state.phase !== "ready") return;
    if (messageId === "fold") return setTarget({ messageId, at: Date.now() });
    conversation.showAround(messageId).then(
      () => setTarget({ messageId, at: Date.now() }),
      (error: unknown) => toast({ title: "The message could not be shown", detail: wordsOf(error), tone: "error" }),
    );
  }, [hash, conversation, state.phase]);

  const active = useMemo(
    () => summaries.data?.summaries.find(({ id }) => id === summaries.data.activeId),
    [summaries.data],
  );
  const actions = useMemo(
    () => ({
      onRetry: (message: Message) => void turns.retry(message),
      onEdit: (message: Message, text: string) => void turns.edit(message, text),
      onTakeOut: (message: Message) => void takeOut(conversation, message),
    }),
    [turns, conversation],
  );
  const [sent, setSent] = useState(0);
  const send = async (text: string, parts: readonly UserPart[]) => {
    setDraft("");
    // What was said stands at the end; the reader may be looking at an old page.
    if (state.after !== null) await conversation.reload();
    setSent((times) => times + 1);
    if (!(await turns.send(text, parts))) setDraft((now) => (now === "" ? text : now));
  };

  if (session.error !== null) {
    return (
      <>
        <PageHeader title="Conversation" />
        <div className="mx-auto w-full max-w-xl p-6">
          <Notice
            tone="error"
            action={
              session.error instanceof ApiError ? (
                <Link to="/" className="text-accent underline underline-offset-2">
                  Go to your conversations
                </Link>
              ) : (
                <Button onClick={() => void session.refetch()}>Try again</Button>
              )
            }
          >
            {wordsOf(session.error)}
          </Notice>
        </div>
      </>
    );
  }
  const last = state.messages.at(-1);
  return (
    <>
      <PageHeader title={session.data?.title ?? "…"}>
        <Meter usage={usage} sessionId={sessionId} onCompress={() => setCompressing(true)} />
        {session.data !== undefined && <SessionTools session={session.data} onCompress={() => setCompressing(true)} />}
      </PageHeader>
      {active !== undefined && <SummaryBar summary={active} />}
      {state.phase === "loading" && (
        <div className="m-auto">
          <Spinner label="Loading messages" />
        </div>
      )}
      {state.phase === "failed" && (
        <div className="m-auto max-w-xl p-6">
          <Notice tone="error" action={<Button onClick={() => void conversation.reload()}>Try again</Button>}>
            {wordsOf(state.failure)}
          </Notice>
        </div>
      )}
      {state.phase === "ready" && state.messages.length === 0 && <EmptyChat />}
      {state.phase === "ready" && state.messages.length > 0 && (
        <MessageList
          state={state}
          conversation={conversation}
          summary={active}
          target={target}
          sent={sent}
          {...actions}
        />
      )}
      {(state.problem !== undefined || state.limited !== undefined) && (
        <div className="mx-auto grid w-full grid-cols-1 max-w-3xl gap-2 px-4 pb-2 sm:px-6">
          {state.limited !== undefined && <Notice tone="warn">{state.limited}</Notice>}
          {state.problem !== undefined && (
            <TurnFailed
              problem={state.problem}
              reply={last}
              onRetry={last === undefined ? undefined : () => void turns.retry(last)}
            />
          )}
        </div>
      )}
      <Composer
        draft={draft}
        onDraft={setDraft}
        replying={state.replying}
        stopping={state.stopping}
        onSend={(text, parts) => void send(text, parts)}
        onStop={() => void turns.stop()}
      >
        {session.data !== undefined && <ModelPicker session={session.data} />}
      </Composer>
      <CompressDialog
        sessionId={sessionId}
        open={compressing}
        onClose={() => setCompressing(false)}
        conversation={conversation}
      />
    </>
  );
}
