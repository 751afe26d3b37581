import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { SqliteTrouble } from "./sqlite-trouble.ts";

export interface ThreadSetup {
  readonly path: string;
  readonly readOnly: boolean;
  readonly pragmas: readonly string[];
}

/** One statement, run once for each row of parameters. */
export interface SqliteBatch {
  readonly sql: string;
  readonly rows: readonly (readonly unknown[])[];
}

export type ThreadRequest = { readonly id: number } & (
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  /** In one transaction. */
  | { readonly batches: readonly SqliteBatch[] }
  | { readonly close: true }
);

export type ThreadReply =
  | { readonly id: number; readonly rows: unknown[]; readonly changes: number; readonly error?: never }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: number } };

export interface ThreadResult {
  readonly rows: unknown[];
  readonly changes: number;
}

interface Waiting {
  resolve(result: ThreadResult): void;
  reject(error: Error): void;
}

/** A SQLite connection in its own thread. Keeps the process alive only while a statement runs. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #dead: Error | undefined;

  constructor(setup: ThreadSetup) {
    // Compiled code runs the compiled worker.
    const file = import.meta.url.endsWith(".ts") ? "./sqlite-worker.ts" : "./sqlite-worker.js";
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: setup, name: "midfold-sqlite" });
    this.#worker.on("message", (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#die(error));
    this.#worker.on("exit", () => this.#die(new SqliteTrouble("The database connection is closed.", 0)));
    this.#worker.unref();
  }

  run(sql: string, parameters: readonly unknown[] = []): Promise<ThreadResult> {
    return this.#send({ id: ++this.#lastId, sql, parameters: parameters as readonly SQLInputValue[] });
  }

  /** All or nothing. */
  async insert(batches: readonly SqliteBatch[]): Promise<void> {
    await this.#send({ id: ++this.#lastId, batches });
  }

  async close(): Promise<void> {
    if (this.#dead !== undefined) return;
    await this.#send({ id: ++this.#lastId, close: true });
    this.#dead = new SqliteTrouble("The database connection is closed.", 0);
  }

  #send(request: ThreadRequest): Promise<ThreadResult> {
    return new Promise((resolve, reject) => {
      if (this.#dead !== undefined) return reject(this.#dead);
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(request.id, { resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.error !== undefined) waiting?.reject(new SqliteTrouble(reply.error.message, reply.error.code));
    else waiting?.resolve(reply);
  }

  #die(error: Error): void {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
