import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { type OwnerStore, openStore, type Store } from "../src/index.ts";

export interface LaneOptions {
  /** The file a child runs. */
  readonly child: string;
  readonly url: string;
  readonly kills: number;
  /** Called after every kill, for what only one of the databases needs. */
  readonly between?: (kill: number) => Promise<void>;
  readonly onKill: () => void;
}

export interface LaneReport {
  readonly kills: number;
  /** Kills that hit before the child had opened the database. */
  readonly early: number;
  readonly messages: number;
  readonly summaries: number;
  readonly undone: number;
  readonly violations: readonly string[];
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** One database, over and over: let a child work, kill it, and compare what it was promised with what is there. */
export async function runCrashLane({ child: file, url, kills, between, onKill }: LaneOptions): Promise<LaneReport> {
  const store = await openStore({ url, maxConnections: 4 });
  const owner = store.of("crash");
  const sessions: string[] = [];
  const all: string[] = [];
  const violations: string[] = [];
  const total = { kills: 0, early: 0, messages: 0, summaries: 0, undone: 0 };
  let next = startChild(file);
  for (let kill = 1; kill <= kills; kill++) {
    // New sessions now and then, so that the cost of checking stays the same.
    if (kill % 50 === 1) {
      sessions.length = 0;
      for (let index = 0; index < 3; index++) sessions.push((await owner.sessions.create()).id);
      all.push(...sessions);
    }
    const child = next;
    next = startChild(file);
    const lines = await letWorkAndKill(child, { url, owner: owner.owner, sessions });
    onKill();
    total.kills++;
    if (lines.length === 0) total.early++;
    violations.push(...(await compare(owner, sessions, lines)));
    for (const [what] of lines) {
      if (what === "message") total.messages++;
      else if (what === "summary") total.summaries++;
      else if (what === "undone") total.undone++;
    }
    if (kill % 25 === 0) violations.push(...(await store.check()));
    await between?.(kill);
  }
  next.kill("SIGKILL");
  violations.push(...(await store.check()), ...(await compare(owner, all, [])));
  await closeQuietly(store);
  return { ...total, violations };
}

function startChild(file: string): Child {
  return spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "ignore"] });
}

/** The acknowledgements a child got out before it died. */
async function letWorkAndKill(child: Child, order: object): Promise<readonly (readonly string[])[]> {
  let output = "";
  let lines = 0;
  // Some die while they open and recover the database, the others after so many acknowledgements and a little more.
  const deadline = Math.random() < 0.1 ? 0 : 1 + Math.floor(Math.random() * 30);
  let reached = () => {};
  const enough = new Promise<void>((resolve) => {
    reached = resolve;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    lines += text.split("\n").length - 1;
    if (lines > deadline) reached();
  });
  const closed = once(child, "close");
  child.stdin.on("error", () => undefined).write(`${JSON.stringify(order)}\n`);
  if (deadline === 0) await delay(Math.random() * 80);
  else await Promise.race([enough, closed, delay(2_000)]).then(() => delay(Math.random() * 15));
  child.kill("SIGKILL");
  await closed;
  const complete = output.slice(0, output.lastIndexOf("\n") + 1);
  return complete
    .split("\n")
    .filter((line) => line !== "" && line !== "ready")
    .map((line) => line.split(" "));
}

async function compare(
  owner: OwnerStore,
  sessions: readonly string[],
  lines: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const sessionId of sessions) {
    const { session, summary, messages, stored } = await readStill(owner, sessionId);
    const snapshots = new Map((await owner.snapshots.summaries(sessionId)).map((found) => [found.id, found]));
    for (const [what, where, id = "", seq] of lines) {
      if (where !== sessionId) continue;
      if (what === "message" && stored.get(id) !== Number(seq))
        problems.push(`message ${id} was acknowledged and lost`);
      if (what === "summary" && !snapshots.has(id)) problems.push(`summary ${id} was acknowledged and lost`);
      if (what === "undone" && snapshots.get(id)?.state !== "undone") problems.push(`undo of ${id} was lost`);
    }
    if (stored.size !== session.lastSeq) problems.push(`session ${sessionId} has gaps in its sequence`);
    const cutoff = summary?.cutoffSeq ?? 0;
    if (messages.length !== session.lastSeq - cutoff) problems.push(`session ${sessionId}: context and cutoff differ`);
    if (summary !== undefined && stored.get(summary.messageCutoffId ?? "") !== cutoff) {
      problems.push(`session ${sessionId}: its summary dangles`);
    }
  }
  return problems;
}

/**
 * The session and all its messages as of one moment. A PostgreSQL server may still be committing what the dead client
 * had sent, so a state that changes while it is read is read again; a real loss would show again.
 */
async function readStill(owner: OwnerStore, sessionId: string) {
  for (;;) {
    const context = await owner.context.read(sessionId);
    const stored = new Map<string, number>();
    for (let after = 0; ; ) {
      const page = await owner.messages.list(sessionId, { after, limit: 1000 });
      for (const { id, seq } of page) stored.set(id, seq);
      if (page.length < 1000) break;
      after = page.at(-1)!.seq;
    }
    const { lastSeq, epoch } = await owner.sessions.get(sessionId);
    if (lastSeq === context.session.lastSeq && epoch === context.session.epoch) return { ...context, stored };
  }
}

async function closeQuietly(store: Store): Promise<void> {
  await store.close().catch(() => undefined);
}
