import { type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";

interface ChartFrameProps {
  readonly title: string;
  /** One sentence that says what the chart shows, also for those who cannot see it. */
  readonly summary: ReactNode;
  readonly legend?: ReactNode;
  readonly chart: ReactNode;
  readonly table: ReactNode;
}

/** Every chart can be read as a table. */
export function ChartFrame({ title, summary, legend, chart, table }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="rounded-2xl border border-line bg-surface p-4">
      <div className="mb-2 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 id={titleId} className="font-semibold">
            {title}
          </h2>
          <p className="text-sm text-ink-soft">{summary}</p>
        </div>
        <Button className="min-h-8 py-0.5" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Show chart" : "Show table"}
        </Button>
      </div>
      {asTable ? table : chart}
      {!asTable && legend}
    </section>
  );
}
