/** Lets a callback feed an async loop: what is pushed is iterated, in order, until `end`. */
export interface EventQueue<TEvent> extends AsyncIterable<TEvent> {
  readonly push: (event: TEvent) => void;
  readonly end: () => void;
}

export function queueEvents<TEvent>(): EventQueue<TEvent> {
  const waiting: TEvent[] = [];
  let ended = false;
  let wake: () => void = () => {};
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    end() {
      ended = true;
      wake();
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
