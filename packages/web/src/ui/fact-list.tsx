import type { ReactNode } from "react";

/** Names and values side by side. A missing value is shown as unknown. */
export function FactList({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value ?? <span className="text-ink-soft">not known</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
