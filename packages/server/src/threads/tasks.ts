import { type FoldOptions, type FoldRecord, type FoldResult, fold, getCounter, type TokenCounter } from "@midfold/core";
import { runSummary } from "@midfold/core/summaries";
import { CalibratedCounter, type Calibration } from "@midfold/core/tokens";
import { dropBeforeCompaction, type ProtocolName, protocols } from "@midfold/wire";
import { explainJson, type JsonBody, type JsonFault, type ParseElsewhere } from "../json/read-json-body.ts";
import { summarizerBy } from "./serve-tasks.ts";
import type { Ask, Tasks, ThreadPool } from "./thread-pool.ts";

/** How to count, for a thread that makes its own counter: by this model's rule, corrected by what was learned. */
export interface CountingRule {
  readonly countAs: string;
  readonly calibration?: Calibration;
}

/** A request's JSON, which the thread parses itself: sending the parsed value costs more. */
interface Body {
  readonly bytes: Uint8Array;
  readonly protocol: ProtocolName;
  readonly counting: CountingRule;
}

export interface FoldTask extends Body {
  readonly options: Pick<FoldOptions, "model" | "window" | "budget" | "preset" | "force" | "state" | "cacheIsCold">;
}

/** A fold whose kept messages are given by their indices. */
export interface PlacedFold extends Omit<FoldResult<unknown>, "messages"> {
  readonly messages: readonly (number | { readonly made: unknown })[];
}

export interface CompactTask extends Body {
  /** The last message is the request to compact itself. */
  readonly withoutLast: boolean;
  readonly maxTokens: number;
  readonly inputTokens: number;
}

/** A value, or that there is none. */
type ParsedJson = { readonly value: unknown } | { readonly invalid: true };

export interface Compacted {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What the gateway does in threads. */
export const tasks = {
  parse: async (bytes: Uint8Array): Promise<ParsedJson> => {
    try {
      return { value: readJson(bytes) };
    } catch {
      return { invalid: true };
    }
  },
  explain: async (bytes: Uint8Array): Promise<JsonFault | undefined> => explainJson(bytes),

  async fold({ bytes, protocol, counting, options }: FoldTask, ask: Ask): Promise<PlacedFold> {
    const { body, format } = protocols[protocol];
    const value = readJson(bytes) as Record<string, unknown>;
    const messages = body.messagesOf(value);
    const result = await fold(messages, {
      ...options,
      format: format.name,
      system: body.systemOf(value),
      tools: body.toolsOf(value),
      toolChoice: body.toolChoiceOf(value),
      counter: counterOf(counting),
      cache: {
        find: async (chain) => (await ask("find", chain)) as FoldRecord | undefined,
        // The caller stores it, with the outcome.
        save: () => undefined,
      },
    });
    const places = new Map(messages.map((message, index) => [message, index]));
    return { ...result, messages: result.messages.map((made) => places.get(made) ?? { made }) };
  },

  /** The size of a request, everything counted. */
  async count({ bytes, protocol, counting }: Body): Promise<number> {
    const { body, format } = protocols[protocol];
    const value = readJson(bytes) as Record<string, unknown>;
    const counter = counterOf(counting);
    const messages = [...body.systemOf(value), ...format.decode(body.messagesOf(value))];
    return counter.countMessages(messages) + counter.countTools(body.toolsOf(value), body.toolChoiceOf(value));
  },

  async compact(task: CompactTask, ask: Ask): Promise<Compacted> {
    const { body, format } = protocols[task.protocol];
    const value = readJson(task.bytes);
    const listed = body.messagesOf(value);
    const messages = format.decode(task.withoutLast ? listed.slice(0, -1) : listed);
    const counter = counterOf(task.counting);
    const outcome = await runSummary({
      summarizer: summarizerBy(ask),
      // An earlier summary replaces everything before it, and only its text can be summarized again.
      messages: dropBeforeCompaction(messages),
      others: [...body.systemOf(value), ...format.decode(listed)],
      counter,
      maxTokens: task.maxTokens,
      prompt: { inputTokens: task.inputTokens },
      policy: { attempts: 2 },
      sleep: async (ms) => void (await ask("sleep", ms)),
      now: Date.now,
    });
    return {
      text: outcome.text,
      inputTokens: outcome.usage?.inputTokens ?? counter.countMessages(messages),
      outputTokens: counter.count(outcome.text),
    };
  },
} satisfies Tasks;

function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}

/** Long values of a request, parsed beside the event loop until the client leaves. */
export function parseElsewhere(threads: ThreadPool<typeof tasks>, signal: AbortSignal): ParseElsewhere {
  return {
    parse: async (bytes) => {
      const parsed = await threads.run("parse", bytes, { signal });
      if ("invalid" in parsed) throw new SyntaxError("not JSON");
      return parsed.value;
    },
    explain: (bytes) => threads.run("explain", bytes, { signal }),
  };
}

/** A request's JSON as it stands now. */
export function bytesOf({ body }: { readonly body: JsonBody }): Uint8Array {
  return body.edited === true ? Buffer.from(JSON.stringify(body.value)) : body.bytes;
}

/** The rule a counter follows, to be sent to a thread. */
export function countingRule(counter: TokenCounter, countAs: string): CountingRule {
  return counter instanceof CalibratedCounter ? { countAs, calibration: counter.calibration } : { countAs };
}

/** A counter by the rule, for a thread. */
export function counterOf({ countAs, calibration }: CountingRule): TokenCounter {
  const counter = getCounter(countAs);
  return calibration === undefined ? counter : new CalibratedCounter(counter, { calibration });
}
