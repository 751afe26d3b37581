import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type OwnerStore, openStore, type Store } from "@midfold/store";
import { type Script, type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { afterAll, beforeAll } from "vitest";
import type { z } from "zod";
import type { TurnEvent } from "../api/events.ts";
import type { Operation } from "../api/operation.ts";
import { type OperationName, operations } from "../api/operations.ts";
import type { Session } from "../api/session.ts";
import type { SettingValues } from "../api/settings.ts";
import { loadConfig } from "../config/load-config.ts";
import { createDestinations } from "../upstreams/create-destinations.ts";
import { createChatRoutes } from "./create-chat-routes.ts";
import type { ChatApp } from "./http/register-operations.ts";
import type { ChatModels } from "./models/chat-models.ts";
import { createChatModels } from "./models/create-chat-models.ts";

type Output<TName extends OperationName> = (typeof operations)[TName] extends { response: infer TSchema }
  ? TSchema extends z.ZodType
    ? z.output<TSchema>
    : never
  : undefined;

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly owner?: string;
  readonly signal?: AbortSignal;
}

export interface LoggedLine {
  readonly level: "info" | "warn" | "error";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Replica {
  readonly app: ChatApp;
  /** Calls an operation, checks its answer against its schema, and throws the problem when there is one. */
  call<TName extends OperationName>(name: TName, options?: CallOptions): Promise<Output<TName>>;
  raw(name: OperationName, options?: CallOptions): Promise<Response>;
  /** Sends a message and collects the events of the turn, each checked against its schema. */
  say(sessionId: string, text: string, body?: Readonly<Record<string, unknown>>): Promise<TurnEvent[]>;
}

export interface Harness extends Replica {
  readonly store: Store;
  readonly owner: OwnerStore;
  readonly upstream: Simulator;
  readonly log: LoggedLine[];
  /** The clock of the chat, in milliseconds; it only moves when set. */
  readonly clock: { now: number };
  readonly summaries: { calls: number };
  start(options?: { readonly model?: string; readonly system?: string }): Promise<Session>;
  /** Another server on the same database, with its own connections where several machines share the database. */
  replica(): Promise<Replica>;
  setSummary(answer: Script): void;
  /** Resolves when no reply and no work in the background is running. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** SQLite in a temporary folder by default. */
  readonly url?: string;
  readonly config?: SettingValues;
  /** The window the server takes the model to have. */
  readonly window?: number;
  readonly simulator?: Partial<SimulatorOptions>;
  readonly provider?: "openai" | "anthropic";
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the provider's counting endpoint fail, and nothing else. */
  readonly cannotCount?: boolean;
}

/** Whether this asks for a summary: only those prompts contain a transcript. */
const isSummaryRequest = (text: string) => text.includes("<transcript id=");

/** A harness for all tests of a file or a `describe`: opened before them, closed after them. */
export function useHarness(options?: HarnessOptions): Harness {
  const harness = {} as Harness;
  beforeAll(async () => {
    Object.assign(harness, await openHarness(options));
  });
  afterAll(() => harness.close());
  return harness;
}

/** On a machine that does much else a statement may wait for long; that is not what these tests are about. */
const patienceMs = 120_000;

/** The real chat service over a real database and a simulated provider on a real socket. */
export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), "midfold-chat-"));
  const store = await openStore({ url: options.url ?? `sqlite:${join(folder, "chat.db")}`, patienceMs });
  const summaries = { calls: 0 };
  let summaryScript: Script = () => ({
    text: "## Context\nThe user and the assistant talked about the garden and the fence.",
  });
  let replyScript: Script = (turn) => ({ text: `Reply ${turn.index} to ${turn.messages.length} messages.` });
  const anthropic = options.provider === "anthropic";
  const upstream = await startSimulator({
    protocol: anthropic ? "anthropic-messages" : "openai-chat",
    laterSystem: true,
    ...options.simulator,
    script: (turn) => {
      if (!isSummaryRequest(turn.messages.map(({ text }) => text).join("\n"))) return replyScript(turn);
      summaries.calls++;
      return summaryScript(turn);
    },
  });
  const env = anthropic
    ? { ANTHROPIC_API_KEY: "sk-ant-test-key-1234", ANTHROPIC_BASE_URL: upstream.url }
    : { OPENAI_API_KEY: "sk-test-key-12345678", OPENAI_BASE_URL: `${upstream.url}/v1` };
  const model = anthropic ? "claude-sonnet-4-5" : "gpt-4o";
  const text = options.window === undefined ? "{}" : `models: {${model}: {window: ${options.window}}}`;
  const config = loadConfig({ file: "test", text }, { ...env, ...options.env });
  const log: LoggedLine[] = [];
  const clock = { now: Date.now() };
  const note = (level: LoggedLine["level"]) => (facts: LoggedLine["facts"], message: string) => {
    log.push({ level, facts, message });
  };
  const open = (settings: typeof config) =>
    createDestinations({
      config: settings,
      newId: () => crypto.randomUUID(),
      now: () => clock.now,
      demoDelayMs: 0,
      onListError: () => undefined,
    });
  const destinations = open(config);

  const work = new Set<AbortController>();
  const replica = (own: Store): Replica => {
    const models = createChatModels({
      config: { ...config, chat: { defaultModel: model, ...options.config } },
      destinations,
      open,
    });
    const app = createChatRoutes({
      store: own,
      models: options.cannotCount === true ? withoutCounting(models) : models,
      log: { info: note("info"), warn: note("warn"), error: note("error") },
      // Half of the usual test window of 8192, so that the budget is a round figure.
      config: { defaultModel: model, maxOutputTokens: 4096, ...options.config },
      modelOverrides: config.models,
      now: () => clock.now,
      sleep: async () => undefined,
      onWork: (controller) => {
        work.add(controller);
        return () => work.delete(controller);
      },
    });
    return toReplica(app);
  };
  const first = replica(store);
  const others: Store[] = [];
  return {
    ...first,
    store,
    owner: store.of("local"),
    upstream: Object.assign(Object.create(upstream) as Simulator, {
      setScript: (script: Script) => {
        replyScript = script;
      },
    }),
    log,
    clock,
    summaries,
    start: (body = {}) => first.call("createSession", { body: { title: "Test", ...body } }),
    async replica() {
      if (options.url === undefined) return replica(store);
      const other = await openStore({ url: options.url, patienceMs });
      others.push(other);
      return replica(other);
    },
    setSummary(answer) {
      summaryScript = answer;
    },
    async idle() {
      while (work.size > 0) await nextTurn();
    },
    async close() {
      await Promise.all([store, ...others].map((opened) => opened.close()));
      await destinations.close();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withoutCounting(models: ChatModels): ChatModels {
  const countTokens = () => Promise.reject(new Error("counting is down"));
  return {
    ...models,
    find: (model) => ({ ...models.find(model), countTokens }),
    of: async (store) => withoutCounting(await models.of(store)),
  };
}

function toReplica(app: ChatApp): Replica {
  const raw = async (name: OperationName, options: CallOptions = {}) => {
    const operation: Operation = operations[name];
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(options.params?.[key] ?? ""),
    );
    const query = options.query === undefined ? "" : `?${new URLSearchParams(options.query)}`;
    const request = new Request(`http://localhost${path}${query}`, {
      method: operation.method.toUpperCase(),
      ...(options.body === undefined
        ? {}
        : { body: JSON.stringify(options.body), headers: { "content-type": "application/json" } }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return app.fetch(request, { owner: options.owner ?? "local" });
  };
  return {
    app,
    raw,
    async call(name, options) {
      const response = await raw(name, options);
      if (!response.ok) throw await failure(name, response);
      const operation: Operation = operations[name];
      if (operation.response === undefined || response.status === 204) return undefined as never;
      return operation.response.parse(await response.json()) as never;
    },
    async say(sessionId, text, body = {}) {
      const response = await raw("sendMessage", { params: { sessionId }, body: { text, ...body } });
      if (!response.ok) throw await failure("say", response);
      return readEvents<TurnEvent>(response, "sendMessage");
    },
  };
}

async function failure(name: string, response: Response): Promise<Error> {
  const problem = (await response.json()) as { readonly code?: string; readonly detail?: string };
  return Object.assign(new Error(`${name}: ${response.status} ${problem.code} ${problem.detail}`), { problem });
}

/** All events of a stream that ends, each checked against the operation's schema. */
export async function readEvents<TEvent extends { readonly type: string }>(
  response: Response,
  name: OperationName,
): Promise<TEvent[]> {
  const events: TEvent[] = [];
  for await (const event of followEvents<TEvent>(response, name)) events.push(event);
  return events;
}

export async function* followEvents<TEvent extends { readonly type: string }>(
  response: Response,
  name: OperationName,
): AsyncGenerator<TEvent, void, undefined> {
  const schema = (operations[name] as Operation).events;
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      const event = JSON.parse(data) as TEvent;
      if (event.type !== "open") schema?.parse(event);
      yield event;
    }
  }
}

export const find = <TType extends TurnEvent["type"]>(events: readonly TurnEvent[], type: TType) =>
  events.find((event): event is Extract<TurnEvent, { type: TType }> => event.type === type);
