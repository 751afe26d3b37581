import { useState } from "react";

/**
 * Whether it is open or was before: a dialog's scripts are loaded when it is first opened, and stay so that it closes
 * normally.
 */
export function useOpened(open: boolean): boolean {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened || open;
}
