import type { Fault, SimulatedProtocol } from "@midfold/testkit";
import { require } from "./check.ts";
import { chat, hello, type Stage, withStage, words } from "./setup.ts";

export const streamed = { ...hello, stream: true };
const long = { upstream: { script: () => ({ text: words(30) }) } };

/** Each client protocol, with what ends a good stream and what reports a broken one. */
export const dialects: readonly {
  readonly path: string;
  readonly body: object;
  readonly good: RegExp;
  readonly bad: RegExp;
  readonly protocol: SimulatedProtocol;
}[] = [
  { path: chat, body: streamed, good: /\[DONE\]/, bad: /data: \{"error":/, protocol: "openai-chat" },
  {
    path: "/v1/messages",
    body: { ...streamed, max_tokens: 500 },
    good: /message_stop|end_turn/,
    bad: /event: error\ndata: \{"type":"error"/,
    protocol: "anthropic-messages",
  },
  {
    path: "/v1/responses",
    body: { model: "gpt-4o", stream: true, input: "hi" },
    good: /response\.completed/,
    bad: /event: (?:response\.failed|error)/,
    protocol: "openai-responses",
  },
];

/** The same fault in the stream of every client protocol, over an upstream of the same and of another protocol. */
export async function everyDialect(fault: Fault, options: Parameters<typeof withStage>[0] = {}): Promise<string> {
  let seen = 0;
  let early = 0;
  for (const { path, body, good, bad, protocol } of dialects) {
    for (const upstream of [protocol, protocol === "openai-chat" ? "anthropic-messages" : "openai-chat"] as const) {
      await withStage(
        { ...long, ...options, upstream: { ...long.upstream, protocol: upstream } },
        async ({ simulator, gateway }) => {
          simulator.failNext(fault);
          const response = await gateway.post(path, body);
          const text = await response.text();
          const where = `${path} over ${upstream}`;
          require(!good.test(text), `${where} looks complete`);
          seen += 1;
          if (response.status >= 500) {
            // Nothing of the answer had been sent yet, so the status can still report the error.
            require(typeof JSON.parse(text).error === "object", `${where}: ${text.slice(0, 200)}`);
            early++;
            return;
          }
          require(bad.test(text), `${where} has no error event: …${text.slice(-200)}`);
          for (const frame of text.split("\n\n").filter((part) => part !== "")) {
            const data = frame.split("\n").find((line) => line.startsWith("data: "));
            if (data !== undefined && data !== "data: [DONE]") JSON.parse(data.slice(6));
          }
        },
      );
    }
  }
  return `${seen} pairs: ${seen - early} end with the client's own error event, ${early} with a status`;
}

export async function status(stage: Stage, fault: Fault, times = 1): Promise<Response> {
  stage.simulator.failNext(fault, times);
  return stage.gateway.post(chat, hello);
}
