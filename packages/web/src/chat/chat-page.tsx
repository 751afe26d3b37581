import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { api } from "../api/api.ts";
import { ApiError, wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import type { Message, Problem, Usage } from "../api/types.gen.ts";
import { useConversation } from "../conversation/use-conversation.ts";
import { SummaryBar } from "../fold/summary-bar.tsx";
import { useFoldNews } from "../fold/use-fold-news.ts";
import { Meter } from "../meter/meter.tsx";
import { useUsage } from "../meter/use-usage.ts";
import { commandEvent } from "../shell/commands.ts";
import { DemoOnly } from "../shell/demo-only.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { useNewSession } from "../shell/use-new-session.ts";
import { Button } from "../ui/button.tsx";
import { BookIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { useOpened } from "../ui/use-opened.ts";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { ModelPicker } from "./model-picker.tsx";
import { LargerModel, TooLong } from "./overflow.tsx";
import { SessionTools } from "./session-tools.tsx";
import { takeOut } from "./take-out.ts";
import { useDraft } from "./use-draft.ts";
import { useTurns } from "./use-turns.ts";

const FoldDialog = lazy(async () => ({ default: (await import("../fold/fold-dialog.tsx")).FoldDialog }));

export function ChatPage() {
  const { sessionId } = useParams({ from: "/s/$sessionId" });
  return <Chat key={sessionId} sessionId={sessionId} />;
}

function Chat({ sessionId }: { readonly sessionId: string }) {
  const session = useQuery({ queryKey: keys.session(sessionId), queryFn: () => api.getSession(sessionId) });
  const summaries = useQuery({ queryKey: keys.summaries(sessionId), queryFn: () => api.listSummaries(sessionId) });
  const [state, conversation] = useConversation(sessionId);
  const turns = useTurns(conversation);
  const client = useQueryClient();
  const draft = useDraft(sessionId);
  const parts = useMemo(() => draft.files.map(({ part }) => part), [draft.files]);
  // The server handles one thing at a time, so the messages are read before what is computed about them.
  const readable = state.phase !== "loading";
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels, enabled: readable });
  const isBlind = models.data?.models.find(({ id }) => id === session.data?.model)?.seesImages === false;
  const obstacle =
    isBlind && parts.some(({ type }) => type === "image")
      ? `${session.data?.model} does not take pictures. Choose a model that does, or remove the picture.`
      : undefined;
  const [folding, setFolding] = useState(false);
  const foldOpened = useOpened(folding);
  const usage = useUsage(sessionId, draft.text, parts, readable);
  const hash = useRouterState({ select: (router) => router.location.hash });
  const [target, setTarget] = useState<{ readonly messageId: string; readonly at: number }>();
  useFoldNews(conversation);

  useEffect(() => {
    const open = (event: Event) => {
      if (event instanceof CustomEvent && event.detail === "summarize") setFolding(true);
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
  const send = async () => {
    const written = draft.take();
    // The new message is at the end, but an older page may be shown.
    if (state.after !== null) await conversation.reload();
    setSent((times) => times + 1);
    if (!(await turns.send(written.text, parts))) draft.restore(written);
  };
  const clip = async () => {
    try {
      const clipped = await api.clipDraft(sessionId, { draft: draft.text, parts });
      const files = draft.files.map((file, index) => ({ ...file, part: clipped.parts[index] ?? file.part }));
      draft.replace(draft, { text: clipped.draft, files });
    } catch (error) {
      toast({ title: "It could not be shortened", detail: wordsOf(error), tone: "error" });
    }
  };
  const setModel = async (model: string) => {
    try {
      client.setQueryData(keys.session(sessionId), await api.updateSession(sessionId, { model }));
      await client.invalidateQueries({ queryKey: keys.usage(sessionId) });
      return true;
    } catch (error) {
      toast({ title: "The model was not changed", detail: wordsOf(error), tone: "error" });
      return false;
    }
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
        <Meter usage={usage} sessionId={sessionId} onFold={() => setFolding(true)} />
        {session.data !== undefined && <SessionTools session={session.data} onFold={() => setFolding(true)} />}
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
      {(state.problem !== undefined || state.limited !== undefined || usage !== undefined) && (
        <div className="mx-auto grid w-full grid-cols-1 max-w-3xl gap-2 px-4 not-empty:pb-2 sm:px-6">
          {usage !== undefined && state.problem === undefined && (
            <TooLong
              usage={usage}
              onClip={() => void clip()}
              onSummarize={() => setFolding(true)}
              onModel={(model) => void setModel(model)}
            />
          )}
          {state.limited !== undefined && <Notice tone="warn">{state.limited}</Notice>}
          {state.problem !== undefined && (
            <TurnFailed
              problem={state.problem}
              reply={last}
              usage={usage}
              onSummarize={() => void turns.summarizeAndRetry()}
              onClip={() => void turns.clipAndSend()}
              onModel={async (model) => {
                if (last !== undefined && (await setModel(model))) await turns.retry(last);
              }}
              onRetry={last === undefined ? undefined : () => void turns.retry(last)}
            />
          )}
        </div>
      )}
      <Composer
        draft={draft.text}
        onDraft={draft.setText}
        files={draft.files}
        onFiles={draft.setFiles}
        replying={state.replying}
        stopping={state.stopping}
        onSend={() => void send()}
        onStop={() => void turns.stop()}
        obstacle={obstacle}
      >
        {session.data !== undefined && (
          <ModelPicker model={session.data.model} onChange={(model) => void setModel(model)} />
        )}
      </Composer>
      {foldOpened && (
        <Suspense>
          <FoldDialog
            sessionId={sessionId}
            open={folding}
            onClose={() => setFolding(false)}
            conversation={conversation}
          />
        </Suspense>
      )}
    </>
  );
}

function EmptyChat() {
  const { loadExample, busy } = useNewSession();
  return (
    <div className="flex flex-1 overflow-y-auto p-6">
      <div className="m-auto max-w-md text-center">
        <h2 className="text-lg font-semibold">Nothing said yet</h2>
        <p className="mt-1 text-ink-soft">
          Write a message below. To see how a long conversation is folded, load the example and send one message.
        </p>
        <Button className="mt-4" disabled={busy} onClick={() => loadExample()}>
          <BookIcon /> Load a long example
        </Button>
        <DemoOnly />
      </div>
    </div>
  );
}

interface TurnFailedProps {
  readonly problem: Problem;
  /** The last message of the conversation. */
  readonly reply: Message | undefined;
  readonly usage: Usage | undefined;
  readonly onRetry: (() => void) | undefined;
  readonly onSummarize: () => void;
  readonly onClip: () => void;
  readonly onModel: (model: string) => void;
}

const tooLong = new Set(["UPSTREAM_OVERFLOW", "CONTEXT_OVERFLOW"]);

/** Why a turn ended without its reply, and what can be done. */
function TurnFailed(props: TurnFailedProps) {
  const { problem, reply, usage, onRetry, onSummarize, onClip, onModel } = props;
  // The reply in the list already shows these details.
  const told = reply?.error === problem.detail || problem.title === problem.detail;
  return (
    <Notice
      tone="error"
      action={
        <>
          {problem.code === "UPSTREAM_CREDENTIALS" && (
            <Link to="/providers" className="px-1 text-accent underline underline-offset-2">
              Check the key of its provider
            </Link>
          )}
          {tooLong.has(problem.code) && (
            <>
              <Button onClick={onSummarize}>Summarize and send again</Button>
              <Button onClick={onClip}>Shorten and send again</Button>
              <LargerModel needed={usage?.total ?? 0} onModel={onModel} />
            </>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </>
      }
    >
      {problem.title} {!told && problem.detail}
    </Notice>
  );
}
