import { type RefObject, useEffect, useRef, useState } from "react";

/** The current width of an element: charts are drawn for it, so that their text keeps its size. */
export function useWidth<TElement extends HTMLElement>(initial = 640): readonly [RefObject<TElement | null>, number] {
  const element = useRef<TElement>(null);
  const [width, setWidth] = useState(initial);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
