import type { ComponentProps } from "react";
import { Tooltip } from "./tooltip.tsx";

interface IconButtonProps extends ComponentProps<"button"> {
  /** Spoken, and shown on hover. */
  readonly label: string;
  readonly small?: boolean;
}

export function IconButton({ label, small = false, className = "", ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={`inline-flex items-center justify-center rounded-lg text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:opacity-45 ${small ? "size-8" : "size-9"} ${className}`}
        {...rest}
      />
    </Tooltip>
  );
}
