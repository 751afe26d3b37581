import { useEffect, useRef, useState } from "react";

/**
 * A value that is also part of the page's address. It is shown as soon as it is set, and the address follows a moment
 * later: a field that waited for the address would lose letters typed meanwhile on a slow machine.
 */
export function useAddressValue<TValue extends string | undefined>(
  held: TValue,
  write: (value: TValue) => void,
): readonly [TValue, (value: TValue) => void] {
  const [value, setValue] = useState(held);
  const written = useRef<TValue[]>([]);
  useEffect(() => {
    const at = written.current.indexOf(held);
    // The address now shows a value that was set here earlier; any other value came by a link or by Back.
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
