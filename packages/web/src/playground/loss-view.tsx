import type { LossReport } from "../api/types.gen.ts";
import { formatCount, plural } from "../ui/format.ts";

const shown = 200;

/** Facts of the transcript that the result no longer says anywhere, by kind. */
export function LossView({ loss }: { readonly loss: LossReport | null }) {
  if (loss === null) return <p className="text-sm text-ink-soft">Not checked.</p>;
  const kinds = Map.groupBy(loss.lost.slice(0, shown), ({ kind }) => kind);
  return (
    <div className="space-y-2 text-sm">
      <p>
        {formatCount(loss.checked)} facts found by an extractor that did not write the result: {formatCount(loss.kept)}{" "}
        still there, {formatCount(loss.lost.length)} gone
        {loss.repaired > 0 ? `, ${formatCount(loss.repaired)} added back` : ""}.
      </p>
      {loss.lost.length === 0 && <p className="font-medium">Nothing it could find was lost.</p>}
      {[...kinds].map(([kind, facts]) => (
        <section key={kind} aria-label={`Lost: ${kind}`}>
          <h4 className="font-medium">
            {kind} <span className="font-normal text-ink-soft">{facts.length}</span>
          </h4>
          <ul className="flex flex-wrap gap-1">
            {facts.map(({ value, messageId }, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: the same fact can stand in several messages.
                key={index}
                title={messageId === null ? undefined : `Message ${Number(messageId) + 1}`}
                className="max-w-full rounded bg-alarm-soft px-1.5 py-0.5 font-mono text-xs break-all"
              >
                {value.length > 160 ? `${value.slice(0, 160)}…` : value}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {loss.lost.length > shown && (
        <p className="text-ink-soft">and {plural(loss.lost.length - shown, "more fact", "more facts")}</p>
      )}
    </div>
  );
}
