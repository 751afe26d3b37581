/**
 * The same pieces, with a sign of life whenever none came for `everyMs`: clients and proxies give up on silence. Pings
 * go out between pieces only, never inside one.
 */
export async function* withPings(
  pieces: AsyncGenerator<Uint8Array | string>,
  ping: string,
  everyMs: number,
): AsyncGenerator<Uint8Array | string> {
  let timer: NodeJS.Timeout | undefined;
  let wake: ((value: "ping") => void) | undefined;
  const arm = () => {
    timer = setTimeout(() => wake?.("ping"), everyMs);
  };
  try {
    for (;;) {
      const next = pieces.next();
      let piece: IteratorResult<Uint8Array | string> | "ping";
      do {
        const silence = new Promise<"ping">((resolve) => {
          wake = resolve;
        });
        if (timer === undefined) arm();
        else timer.refresh();
        piece = await Promise.race([next, silence]);
        if (piece === "ping") yield ping;
      } while (piece === "ping");
      if (piece.done === true) return;
      yield piece.value;
    }
  } finally {
    clearTimeout(timer);
    await pieces.return(undefined);
  }
}
