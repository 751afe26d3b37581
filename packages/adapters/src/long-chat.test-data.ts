import { type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { afterEach } from "vitest";

/** A strict stand-in for a provider with a small window: it refuses what does not fit and what is malformed. */
export const window = 8_000;

const open: Simulator[] = [];
afterEach(async () => {
  for (const simulator of open.splice(0)) await simulator.close();
});

export async function startProvider(options: Omit<SimulatorOptions, "window">): Promise<Simulator> {
  const simulator = await startSimulator({ window, ...options });
  open.push(simulator);
  return simulator;
}

const filler = "It is kept in the register with all its receipts. ".repeat(20);

/** About 27,000 tokens of user and assistant turns that end with a question. */
export const longChat: ({ role: "user"; content: string } | { role: "assistant"; content: string })[] = [
  ...Array.from({ length: 120 }, (_, index) => {
    const content = `Entry ${index}: invoice INV-${7000 + index} over ${index * 3} EUR. ${filler}`;
    return index % 2 === 0 ? ({ role: "user", content } as const) : ({ role: "assistant", content } as const);
  }),
  { role: "user", content: "Which invoice came first?" },
];
