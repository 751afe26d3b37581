import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { request } from "../api/request.ts";
import type * as t from "../api/types.gen.ts";
import type { PlaygroundRequest, PlaygroundResult } from "../api/types.gen.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { NumberOption } from "./number-option.tsx";
import type { Run } from "./run-choice.ts";
import { RunChoices } from "./run-choices.tsx";
import { RunResult } from "./run-result.tsx";
import { TranscriptInput } from "./transcript-input.tsx";

const exampleWindow = 4_096;

export function PlaygroundPage() {
  const models = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const [transcript, setTranscript] = useState("");
  const [model, setModel] = useState("");
  const [window, setWindow] = useState<number>();
  const [budget, setBudget] = useState<number>();
  const [force, setForce] = useState(false);
  const [runs, setRuns] = useState<readonly Run[]>([
    { preset: "proxy", summarizer: "extractive" },
    { preset: "chat", summarizer: "extractive" },
    { preset: "agent", summarizer: "extractive" },
  ]);
  const abort = useRef<AbortController>(undefined);
  const example = useMutation({
    mutationFn: playgroundApi.readExample,
    onSuccess: (text) => {
      setTranscript(text);
      // The example is long only for the small window it was written for.
      setWindow(exampleWindow);
    },
  });
  const session = useMutation({ mutationFn: playgroundApi.readSession, onSuccess: setTranscript });
  const fold = useMutation({
    mutationFn: (body: PlaygroundRequest) => {
      abort.current?.abort();
      abort.current = new AbortController();
      return playgroundApi.run(body, abort.current.signal);
    },
  });
  const chosen = model === "" ? (models.data?.defaultModel ?? "") : model;
  const known = models.data?.models.find(({ id }) => id === chosen);
  const run = (forced = force) => {
    setForce(forced);
    fold.mutate({ transcript, model: chosen, window: window ?? known?.window, budget, force: forced, runs });
  };
  const problem = example.error ?? session.error ?? fold.error;
  return (
    <>
      <PageHeader title="Playground" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-[100rem] space-y-4 p-3 sm:p-5">
          <p className="text-sm text-ink-soft">
            See what folding does to a conversation of yours, with several strategies side by side. Nothing is stored,
            and no model is called unless you choose one to write the summary.
          </p>
          <Form className="space-y-4" onSubmit={run}>
            <TranscriptInput
              value={transcript}
              onChange={setTranscript}
              onExample={() => example.mutate()}
              onSession={(id) => session.mutate(id)}
              busy={example.isPending || session.isPending}
            />
            <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
              <div className="col-span-2 lg:col-span-1">
                <label htmlFor="playground-model" className="text-sm text-ink-soft">
                  Model
                </label>
                <input
                  id="playground-model"
                  list="playground-models"
                  value={model}
                  placeholder={chosen}
                  onChange={(event) => setModel(event.target.value)}
                  className="field text-sm"
                />
                <datalist id="playground-models">
                  {models.data?.models.map(({ id }) => (
                    <option key={id} value={id} />
                  ))}
                </datalist>
              </div>
              <NumberOption
                label="Window, tokens"
                min={256}
                otherwise={known === undefined ? "the model's" : formatCount(known.window)}
                value={window}
                onChange={setWindow}
              />
              <NumberOption
                label="Input budget, tokens"
                min={64}
                otherwise="from the window"
                value={budget}
                onChange={setBudget}
              />
              <label className="col-span-2 flex items-center gap-2 self-end py-2 text-sm lg:col-span-1">
                <input
                  type="checkbox"
                  checked={force}
                  onChange={(event) => setForce(event.target.checked)}
                  className="size-4"
                />
                Fold even if it fits
              </label>
            </div>
            <RunChoices runs={runs} onChange={setRuns} />
            <div className="flex items-center gap-3">
              <Button type="submit" kind="primary" disabled={transcript.trim() === "" || fold.isPending}>
                Fold
              </Button>
              {fold.isPending && <Spinner label="Folding" />}
              {fold.isPending && (
                <Button kind="quiet" onClick={() => abort.current?.abort()}>
                  Cancel
                </Button>
              )}
            </div>
          </Form>
          {problem !== null && !isAbort(problem) && <Notice tone="error">{wordsOf(problem)}</Notice>}
          {fold.data !== undefined && <Results result={fold.data} onForce={() => run(true)} />}
        </div>
      </div>
    </>
  );
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

function Results({ result, onForce }: { readonly result: PlaygroundResult; readonly onForce: () => void }) {
  const sizes = result.runs.flatMap(({ outcome, tokens }) =>
    outcome === "folded" && tokens !== null ? [tokens.after] : [],
  );
  const smallest = sizes.length > 1 ? Math.min(...sizes) : undefined;
  const allFit = result.runs.every(({ outcome }) => outcome === "fits" || outcome === "below-minimum");
  return (
    <section aria-labelledby="results" className="space-y-3">
      <h2 id="results" className="font-semibold">
        {plural(result.messages.length, "message")}, {formatCount(result.tokens)} tokens, read as {result.format}
      </h2>
      {allFit && (
        <Notice action={<Button onClick={onForce}>Fold it anyway</Button>}>
          Nothing had to be folded: it fits. Choose a smaller window or budget, or fold all the same.
        </Notice>
      )}
      <div className={`grid gap-3 ${columns[result.runs.length] ?? ""}`}>
        {result.runs.map((run, index) => (
          <RunResult
            // biome-ignore lint/suspicious/noArrayIndexKey: a strategy is known by its place.
            key={index}
            run={run}
            best={run.outcome === "folded" && run.tokens?.after === smallest && smallest !== undefined}
          />
        ))}
      </div>
    </section>
  );
}

const columns: Readonly<Record<number, string>> = {
  2: "lg:grid-cols-2",
  3: "lg:grid-cols-2 xl:grid-cols-3",
  4: "lg:grid-cols-2 2xl:grid-cols-4",
};

const playgroundApi = {
  run: (body: t.PlaygroundRequest, signal: AbortSignal) =>
    request<t.PlaygroundResult>("POST", "/playground", { body, signal }),
  readSession: async (id: string): Promise<string> => (await api.exportSession(id, "json")).text(),
  /** The long example as a transcript. It only exists as a session, so one is created and deleted again. */
  readExample: async (): Promise<string> => {
    const session = await api.loadExample();
    try {
      return await (await api.exportSession(session.id, "json")).text();
    } finally {
      await api.deleteSession(session.id);
    }
  },
};
