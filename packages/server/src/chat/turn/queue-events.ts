/** Lets a callback feed an async loop: what is pushed is iterated, in order, until `end` or `stop`. */
export interface EventQueue<TEvent> extends AsyncIterable<TEvent> {
  /** Returns how many events wait to be read. */
  readonly push: (event: TEvent) => number;
  readonly end: () => void;
  /** Ends at once: what was not read yet is dropped, and so is what is pushed later. */
  readonly stop: () => void;
}

export function queueEvents<TEvent>(): EventQueue<TEvent> {
  const waiting: TEvent[] = [];
  let ended = false;
  let wake: () => void = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  return {
    push(event) {
      if (!ended) waiting.push(event);
      wake();
      return waiting.length;
    },
    end,
    stop() {
      waiting.length = 0;
      end();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else if (ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
