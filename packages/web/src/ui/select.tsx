import type { ComponentProps } from "react";

interface SelectProps extends Omit<ComponentProps<"select">, "onChange" | "children"> {
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

/** Chooses one of a list; each option is its value and its words. */
export function Select({ options, onChange, className = "", ...rest }: SelectProps) {
  return (
    <select {...rest} onChange={(event) => onChange(event.target.value)} className={`field ${className}`}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
