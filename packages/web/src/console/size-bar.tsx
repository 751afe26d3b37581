import { formatCount, formatTokens } from "../ui/format.ts";

interface SizeBarProps {
  readonly received: number;
  readonly sent: number;
  /** The value that fills the whole width. */
  readonly scale: number;
  readonly exact: boolean;
}

/** Received → sent: the whole bar was received, the dark part was sent. */
export function SizeBar({ received, sent, scale, exact }: SizeBarProps) {
  const share = (value: number) => `${scale === 0 ? 0 : Math.min(100, (100 * value) / scale)}%`;
  const about = exact ? "" : "~";
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span aria-hidden="true" className="relative h-2.5 min-w-12 flex-1 overflow-hidden rounded-full bg-sunken">
        <span
          className="absolute inset-y-0 left-0 rounded-full border border-fold-line"
          style={{
            width: share(received),
            background: "repeating-linear-gradient(-45deg, var(--fold-line) 0 2px, transparent 2px 5px)",
          }}
        />
        <span className="absolute inset-y-0 left-0 rounded-full bg-accent" style={{ width: share(sent) }} />
      </span>
      <span
        className="w-24 shrink-0 text-right text-sm tabular-nums"
        title={`${about}${formatCount(received)} tokens received, ${formatCount(sent)} sent`}
      >
        {received === 0 ? (
          <span className="text-ink-soft">not counted</span>
        ) : received === sent ? (
          `${about}${formatTokens(sent)}`
        ) : (
          <>
            <span className="sr-only">received </span>
            {about}
            {formatTokens(received)} <span aria-hidden="true">→</span>
            <span className="sr-only">, sent</span> {formatTokens(sent)}
          </>
        )}
      </span>
    </span>
  );
}
