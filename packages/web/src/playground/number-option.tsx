import { useId } from "react";

interface NumberOptionProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
  readonly min: number;
  readonly max?: number;
  readonly step?: number;
  /** What applies when nothing is entered. */
  readonly otherwise: string;
}

export function NumberOption({ label, value, onChange, min, max, step = 1, otherwise }: NumberOptionProps) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="text-sm text-ink-soft">
        {label}
      </label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={min}
        max={max}
        step={step}
        placeholder={otherwise}
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
        className="field text-sm"
      />
    </div>
  );
}
