/** Puts a list at its end and keeps it there while its rows, first only estimated, are measured; gives the way to stop. */
export function openAtEnd(element: HTMLElement, onSettled: () => void): () => void {
  let frame = 0;
  let height = -1;
  let calm = 0;
  const step = () => {
    element.scrollTop = element.scrollHeight;
    calm = element.scrollHeight === height ? calm + 1 : 0;
    height = element.scrollHeight;
    if (calm < 3) frame = requestAnimationFrame(step);
    else onSettled();
  };
  step();
  return () => cancelAnimationFrame(frame);
}
