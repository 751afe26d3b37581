import { startSimulator } from "@midfold/testkit";
import { simConfig, startChild } from "./child-gateway.ts";
import { chat, words } from "./setup.ts";

export const json = { "content-type": "application/json" };
export const ask = (url: string, body: object) =>
  fetch(`${url}${chat}`, { method: "POST", headers: json, body: JSON.stringify(body) });
export const slow = { text: words(12), stream: { delayMs: 40 } };

export async function withChild<TResult>(
  options: {
    readonly script?: () => object;
    readonly server?: object;
    readonly nodeArgs?: readonly string[];
    readonly readLog?: boolean;
  },
  work: (
    child: Awaited<ReturnType<typeof startChild>>,
    simulator: Awaited<ReturnType<typeof startSimulator>>,
  ) => Promise<TResult>,
): Promise<TResult> {
  const simulator = await startSimulator({
    protocol: "openai-chat",
    ...(options.script === undefined ? {} : { script: options.script as never }),
  });
  const child = await startChild({
    config: simConfig(simulator.url, { server: options.server ?? {} }),
    env: { SIM_KEY: "k" },
    ...(options.nodeArgs === undefined ? {} : { nodeArgs: options.nodeArgs }),
    ...(options.readLog === undefined ? {} : { readLog: options.readLog }),
  });
  try {
    return await work(child, simulator);
  } finally {
    await child.stop();
    await simulator.close();
  }
}
