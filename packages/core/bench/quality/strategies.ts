import {
  type Archive,
  buildArchive,
  digest,
  type Message,
  recallExcerpts,
  type TokenCounter,
} from "../../src/index.ts";

/** What is left of a conversation, as one text and by the message it came from. */
export interface Kept {
  readonly text: string;
  readonly byMessage: ReadonlyMap<number, string>;
  readonly tokens: number;
}

export interface Task {
  readonly messages: readonly Message[];
  readonly weights: readonly number[];
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly question?: string;
}

export type Strategy = (task: Task) => Kept;

/** Everything a reader could see of a message. */
export function fullText(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.type === "text") return part.text;
      if (part.type === "tool-call") return `${part.name} ${part.input}`;
      if (part.type !== "tool-result") return "";
      return part.content.map((inner) => (inner.type === "text" ? inner.text : "")).join("\n");
    })
    .join("\n");
}

const whole = (task: Task, indices: readonly number[]): Kept => {
  const byMessage = new Map(indices.map((index) => [index, fullText(task.messages[index]!)]));
  return {
    text: [...byMessage.values()].join("\n"),
    byMessage,
    tokens: indices.reduce((sum, index) => sum + task.weights[index]!, 0),
  };
};

function lastWithin(task: Task, budget: number): number {
  let spent = 0;
  let first = task.messages.length;
  while (first > 0 && spent + task.weights[first - 1]! <= budget) spent += task.weights[--first]!;
  return first;
}

export const keepLast: Strategy = (task) => {
  const first = lastWithin(task, task.budget);
  return whole(task, range(first, task.messages.length));
};

/** Head 20 %, tail 80 %, nothing between. */
export const dropMiddle: Strategy = (task) => {
  let head = 0;
  let spent = 0;
  while (head < task.messages.length && spent + task.weights[head]! <= task.budget * 0.2)
    spent += task.weights[head++]!;
  const first = Math.max(head, lastWithin(task, task.budget - spent));
  return whole(task, [...range(0, head), ...range(first, task.messages.length)]);
};

/** A verbatim tail, and one digest for all before it. */
export const tailAndDigest =
  (tailShare: number): Strategy =>
  (task) => {
    const first = tailShare === 0 ? task.messages.length : lastWithin(task, task.budget * tailShare);
    const tail = whole(task, range(first, task.messages.length));
    return join(tail, digested({ ...task, messages: task.messages.slice(0, first) }, task.budget - tail.tokens));
  };

/** A digest that does not know the question, and recall that does. */
export const digestAndRecall =
  (recallShare: number): Strategy =>
  (task) => {
    const recallBudget = Math.floor(task.budget * recallShare);
    const archive = archiveOf(task.messages);
    const found = recallExcerpts(archive, task.question ?? "", { counter: task.counter, maxTokens: recallBudget });
    const byMessage = new Map<number, string>();
    for (const line of found.text.split("\n")) {
      const index = /^- m(\d+) /.exec(line)?.[1];
      if (index !== undefined) byMessage.set(Number(index), line);
    }
    const recalled = { text: found.text, byMessage, tokens: found.tokens };
    return join(recalled, digested(task, task.budget - found.tokens));
  };

const archives = new WeakMap<readonly Message[], Archive>();

function archiveOf(messages: readonly Message[]): Archive {
  const archive = archives.get(messages) ?? buildArchive(messages);
  archives.set(messages, archive);
  return archive;
}

function digested(task: Task, maxTokens: number): Kept {
  const made = digest(task.messages, { counter: task.counter, maxTokens });
  const byMessage = new Map<number, string>();
  for (const item of made.items) {
    if (item.message !== undefined) byMessage.set(item.message, `${byMessage.get(item.message) ?? ""}\n${item.text}`);
  }
  return { text: made.text, byMessage, tokens: made.tokens };
}

function join(a: Kept, b: Kept): Kept {
  const byMessage = new Map(a.byMessage);
  for (const [index, text] of b.byMessage) byMessage.set(index, `${byMessage.get(index) ?? ""}\n${text}`);
  return { text: `${a.text}\n${b.text}`, byMessage, tokens: a.tokens + b.tokens };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
