import { useEffect, useRef, useState } from "react";

/**
 * A value that stands in the page's address too. It is shown as soon as it is chosen: the address follows a moment later,
 * and a field that waited for it would lose the letters typed meanwhile on a slow machine.
 */
export function useAddressValue<TValue extends string | undefined>(
  held: TValue,
  write: (value: TValue) => void,
): readonly [TValue, (value: TValue) => void] {
  const [value, setValue] = useState(held);
  const written = useRef<TValue[]>([]);
  useEffect(() => {
    const at = written.current.indexOf(held);
    // What was written here comes back late and is known; anything else came by a link or by Back.
    if (at < 0) setValue(held);
    else written.current.splice(0, at + 1);
  }, [held]);
  const change = (next: TValue) => {
    setValue(next);
    written.current.push(next);
    write(next);
  };
  return [value, change];
}
