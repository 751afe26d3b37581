import { Switch as Radix } from "radix-ui";
import { type ComponentProps, type ReactNode, useId } from "react";

interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly label: ReactNode;
  readonly disabled?: boolean;
}

/** A switch with its label before it. */
export function Switch({ checked, onChange, label, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-4">
      <label htmlFor={id}>{label}</label>
      <BareSwitch id={id} checked={checked} disabled={disabled} onCheckedChange={onChange} className="shrink-0" />
    </div>
  );
}

/** A switch whose label is elsewhere. */
export function BareSwitch({ className, ...rest }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root
      className={`relative block h-6 w-11 rounded-full border border-line-strong bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent ${className}`}
      {...rest}
    >
      <Radix.Thumb className="block size-4 translate-x-1 rounded-full bg-ink-soft transition-transform data-[state=checked]:translate-x-5.5 data-[state=checked]:bg-accent-ink" />
    </Radix.Root>
  );
}
