import { useState } from "react";

/** Whether it is open or was before: the scripts of a dialog are loaded when it is first opened, and it closes as any other. */
export function useOpened(open: boolean): boolean {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened || open;
}
