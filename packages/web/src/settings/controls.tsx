import { useEffect, useState } from "react";
import { formatCount } from "../ui/format.ts";
import { Select } from "../ui/select.tsx";
import { BareSwitch } from "../ui/switch.tsx";
import type { ControlIds } from "./setting-row.tsx";

interface ControlProps<TValue> {
  readonly ids: ControlIds;
  readonly value: TValue;
  readonly onChange: (value: TValue) => void;
}

export function SwitchControl({ ids, value, onChange }: ControlProps<boolean>) {
  return (
    <BareSwitch
      id={ids.id}
      checked={value}
      onCheckedChange={onChange}
      aria-describedby={ids.describedBy}
      className="sm:ml-auto"
    />
  );
}

interface NumberControlProps extends ControlProps<number | null> {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  /** What an empty field means; without it the field must not be empty. */
  readonly empty?: string;
  readonly slider?: boolean;
}

/** Saved when the field is left, or with Enter, so that typing 95 does not save 9 first. */
export function NumberControl({ ids, value, onChange, min, max, unit, empty, slider = false }: NumberControlProps) {
  const [text, setText] = useState(String(value ?? ""));
  const [refused, setRefused] = useState(false);
  useEffect(() => setText(String(value ?? "")), [value]);
  const save = (given: string) => {
    const next = given.trim() === "" ? null : Number(given);
    const isFine = next === null ? empty !== undefined : Number.isFinite(next) && next >= min && next <= max;
    setRefused(!isFine);
    if (isFine && next !== value) onChange(next);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {slider && (
        <input
          type="range"
          aria-labelledby={ids.labelId}
          min={min}
          max={max}
          value={text === "" ? min : text}
          onChange={(event) => setText(event.target.value)}
          onPointerUp={() => save(text)}
          onKeyUp={() => save(text)}
          className="min-w-0 flex-1 accent-[var(--accent)]"
        />
      )}
      <input
        id={ids.id}
        type="number"
        min={min}
        max={max}
        value={text}
        placeholder={empty}
        aria-invalid={refused}
        aria-describedby={refused ? `${ids.id}-refused ${ids.describedBy}` : ids.describedBy}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => save(text)}
        onKeyDown={(event) => event.key === "Enter" && save(text)}
        className={`field text-right tabular-nums ${slider ? "w-20! shrink-0" : "min-w-0 w-auto! flex-1"} ${refused ? "border-alarm-ink!" : ""}`}
      />
      <span className="w-14 shrink-0 text-sm text-ink-soft">{unit}</span>
      {refused && <Refused id={`${ids.id}-refused`} min={min} max={max} />}
    </div>
  );
}

/** Why a number was not saved; the field keeps it, to be corrected. */
export function Refused({ id, min, max }: { readonly id: string; readonly min: number; readonly max: number }) {
  return (
    <p id={id} role="alert" className="basis-full text-sm text-alarm-ink">
      Between {formatCount(min)} and {formatCount(max)}. Not saved.
    </p>
  );
}

interface ChoiceControlProps extends ControlProps<string> {
  readonly options: readonly (readonly [value: string, words: string])[];
}

export function ChoiceControl({ ids, ...rest }: ChoiceControlProps) {
  return <Select id={ids.id} aria-describedby={ids.describedBy} {...rest} />;
}

interface TextControlProps extends ControlProps<string | null> {
  readonly empty: string;
  readonly suggestions?: readonly string[];
  readonly lines?: number;
}

export function TextControl({ ids, value, onChange, empty, suggestions, lines }: TextControlProps) {
  const [text, setText] = useState(value ?? "");
  useEffect(() => setText(value ?? ""), [value]);
  const save = () => {
    const next = text.trim() === "" ? null : text;
    if (next !== value) onChange(next);
  };
  const shared = {
    id: ids.id,
    value: text,
    placeholder: empty,
    "aria-describedby": ids.describedBy,
    onBlur: save,
  };
  if (lines !== undefined) {
    return (
      <textarea
        {...shared}
        rows={lines}
        onChange={(event) => setText(event.target.value)}
        className="field font-mono text-sm"
      />
    );
  }
  return (
    <>
      <input
        {...shared}
        list={`${ids.id}-list`}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && save()}
        className="field"
      />
      <datalist id={`${ids.id}-list`}>
        {suggestions?.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}
