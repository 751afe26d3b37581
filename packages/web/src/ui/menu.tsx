import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface MenuProps {
  /** A single button. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}

export function Menu({ trigger, children }: MenuProps) {
  return (
    // Not modal: a modal one locks scrolling with a style element, which the page's policy forbids.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          align="end"
          className="z-40 min-w-48 rounded-xl border border-line bg-raised p-1 text-sm shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={`flex cursor-default items-center gap-2.5 rounded-lg px-2.5 py-2 outline-none data-disabled:opacity-50 data-highlighted:bg-sunken ${danger ? "text-alarm-ink" : ""}`}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}

export function MenuLine() {
  return <Radix.Separator className="mx-2 my-1 h-px bg-line" />;
}
