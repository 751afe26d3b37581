import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RequestContent, RequestDetail } from "../api/types.gen.ts";
import { DecisionTable } from "../ui/decision-table.tsx";
import { type PlanAtom, PlanStrip } from "../ui/plan-strip.tsx";
import { ReasonList } from "../ui/reason-list.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { whyOutcome } from "./outcome-words.ts";
import { type PairedMessage, pairMessages } from "./pair-messages.ts";
import { WireMessage } from "./wire-message.tsx";

interface RequestDiffProps {
  readonly request: RequestDetail;
  readonly content: RequestContent | undefined;
}

/** What the fold did: the plan with its reasons, and, where content is captured, message by message. */
export function RequestDiff({ request, content }: RequestDiffProps) {
  const { fold } = request;
  const maker = useMaker(request);
  const source = maker ?? request;
  const atoms: readonly PlanAtom[] = (source.decisions ?? []).map(({ do: decision, ...atom }) => ({
    ...atom,
    decision,
  }));
  return (
    <div className="space-y-4">
      <p className="text-sm">{whyOutcome(request)}</p>
      {fold.outcome === "reused" && maker !== undefined && (
        <p className="text-sm text-ink-soft">
          The plan below was made for{" "}
          <Link to="/console/$" params={{ _splat: `requests/${maker.id}` }} className="text-accent underline">
            an earlier request
          </Link>{" "}
          of this conversation; what came since was added as it is.
        </p>
      )}
      {atoms.length > 0 && (
        <>
          <PlanStrip atoms={atoms} />
          <section aria-label="Reasons">
            <h3 className="mb-1.5 font-medium">Why</h3>
            <ReasonList reasons={source.reasons} />
          </section>
          <DecisionTable atoms={atoms} />
        </>
      )}
      <MessageDiff content={content} />
    </div>
  );
}

/** A reused fold has no plan of its own; the request that made it has one. */
function useMaker(request: RequestDetail): RequestDetail | undefined {
  const { fold, conversationId } = request;
  const wanted = fold.outcome === "reused" && fold.id !== null && conversationId !== null;
  const found = useQuery({
    queryKey: [...consoleKeys.request(request.id), "maker"],
    enabled: wanted,
    queryFn: async () => {
      const { items } = await consoleApi.listRequests({ conversation: conversationId ?? "", folded: true, limit: 500 });
      const made = items.find((item) => item.fold.outcome === "folded" && item.fold.id === fold.id);
      return made === undefined ? null : consoleApi.getRequest(made.id);
    },
  });
  return found.data ?? undefined;
}

const classes: Readonly<Record<PairedMessage["fate"], string>> = {
  kept: "border-line",
  removed: "border-dashed border-alarm bg-alarm-soft",
  added: "border-fold-line bg-fold",
};
const words: Readonly<Record<PairedMessage["fate"], string>> = {
  kept: "sent as it came",
  removed: "not sent word for word",
  added: "written by the fold",
};

function MessageDiff({ content }: { readonly content: RequestContent | undefined }) {
  if (content === undefined || !Array.isArray(content.before) || !Array.isArray(content.after)) {
    return (
      <p className="text-sm text-ink-soft">
        Message by message needs the content, which is not kept. Set{" "}
        <code className="font-mono">server.capture: true</code> in midfold.yaml to keep it for requests to come.
      </p>
    );
  }
  const lines = pairMessages(content.before, content.after);
  return (
    <section aria-label="Message by message">
      <h3 className="mb-1.5 font-medium">Message by message</h3>
      <ol className="space-y-1.5">
        {lines.map(({ fate, message, index }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a past request never move.
          <li key={at} className={`rounded-lg border-l-4 bg-surface py-1.5 pl-3 ${classes[fate]}`}>
            <WireMessage message={message} mark={`${index === null ? "" : `${index + 1} · `}${words[fate]}`} />
          </li>
        ))}
      </ol>
    </section>
  );
}
