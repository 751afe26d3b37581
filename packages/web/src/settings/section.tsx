import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, intro, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      data-section={title}
      className="scroll-mt-4 rounded-2xl border border-line bg-surface p-4 sm:px-5"
    >
      <h2 id={id} className="text-base font-semibold">
        {title}
      </h2>
      {intro !== undefined && <p className="text-sm text-ink-soft">{intro}</p>}
      <div className="mt-2">{children}</div>
    </section>
  );
}
