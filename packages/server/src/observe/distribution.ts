/** How often a figure fell into which range: a Prometheus histogram that costs two additions per figure. */
export interface Distribution {
  observe(value: number): void;
  /** Its lines in the Prometheus text format, ranges counted upwards as that format wants them. */
  expose(name: string, labels: string): string;
}

/** `bounds` rise; each range includes its bound. */
export function createDistribution(bounds: readonly number[]): Distribution {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe: (value) => {
      let range = 0;
      while (range < bounds.length && value > (bounds[range] as number)) range++;
      counts[range] = (counts[range] as number) + 1;
      sum += value;
    },
    expose: (name, labels) => {
      let below = 0;
      const lines = counts.map((count, range) => {
        below += count;
        return `${name}_bucket{le="${bounds[range] ?? "+Inf"}",${labels}} ${below}`;
      });
      return [...lines, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${below}`].join("\n");
    },
  };
}
