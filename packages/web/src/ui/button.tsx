import type { ComponentProps } from "react";

export type ButtonKind = "primary" | "plain" | "quiet" | "danger";

const classes: Readonly<Record<ButtonKind, string>> = {
  primary: "bg-accent text-accent-ink hover:opacity-90",
  plain: "border border-line-strong bg-surface hover:bg-sunken",
  quiet: "hover:bg-sunken",
  danger: "border border-alarm-ink text-alarm-ink hover:bg-alarm-soft",
};

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: ButtonKind;
}

export function Button({ kind = "plain", className = "", ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg px-3 py-1.5 text-sm font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55 ${classes[kind]} ${className}`}
      {...rest}
    />
  );
}
