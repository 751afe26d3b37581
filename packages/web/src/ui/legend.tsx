interface LegendProps {
  readonly items: readonly {
    readonly name: string;
    readonly color: string;
    readonly look?: "box" | "line" | "dash" | "hatch";
  }[];
}

export function Legend({ items }: LegendProps) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      {items.map(({ name, color, look = "box" }) => (
        <li key={name} className="flex items-center gap-1.5">
          {look === "line" || look === "dash" ? (
            <span
              aria-hidden="true"
              className="w-4 border-t-2"
              style={{ borderColor: color, borderStyle: look === "dash" ? "dashed" : "solid" }}
            />
          ) : (
            <span
              aria-hidden="true"
              className="size-3 rounded-sm border"
              style={{
                borderColor: color,
                background:
                  look === "hatch" ? `repeating-linear-gradient(-45deg, ${color} 0 2px, transparent 2px 4px)` : color,
              }}
            />
          )}
          {name}
        </li>
      ))}
    </ul>
  );
}
