import { createRandom } from "./random.ts";

/** What a text looks like: the kinds that tokenizers, clippers and summaries treat differently. */
export const textKinds = [
  "prose",
  "code",
  "log",
  "json",
  "chinese",
  "japanese",
  "russian",
  "arabic",
  "emoji",
  "facts",
] as const;
export type TextKind = (typeof textKinds)[number];

export interface WriteTextOptions {
  readonly kind?: TextKind;
  readonly seed: number;
  /** Length in UTF-16 units; the result is never longer, and at most one sentence shorter. */
  readonly chars: number;
}

const sentences: Record<TextKind, readonly string[]> = {
  prose: [
    "The importer reads the file twice, which is why the second run looks slower. ",
    "Could you check whether the retry also happens when the queue is empty? ",
    "I moved the parser into its own folder and kept the old entry point. ",
    "That would work, but it changes the order in which the rows arrive. ",
    "Please keep the public names as they are; other teams depend on them. ",
    "Let us first reproduce the failure, then write the smallest fix. ",
  ],
  code: [
    "export function total(rows: readonly Row[]): number {\n  return rows.reduce((sum, row) => sum + row.amount, 0);\n}\n",
    "for (const [index, line] of lines.entries()) {\n  if (line.startsWith('#')) continue;\n}\n",
    "const deadline = Date.now() + timeoutMs;\nwhile (Date.now() < deadline) await tick();\n",
    "SELECT id, name FROM accounts WHERE balance > 100 ORDER BY name;\n",
  ],
  log: [
    "2026-03-14T09:26:53.589Z INFO  worker-3 finished job 4711 in 182 ms\n",
    "2026-03-14T09:26:54.001Z WARN  pool: 17 of 20 connections in use\n",
    "2026-03-14T09:26:55.730Z ERROR ENOENT: no such file or directory, open '/srv/app/config/limits.yaml'\n",
    "PASS src/parse/parse-row.test.ts (12 tests) 48ms\n",
    "    at readRow (/srv/app/src/parse/read-row.ts:88:13)\n",
  ],
  json: [
    '{"id":"acc_90125","balance":1204.5,"currency":"EUR","tags":["vip","monthly"]},\n',
    '{"path":"src/index.ts","line":42,"severity":"warning","rule":"no-unused-vars"},\n',
    '{"user":{"name":"Ada","email":"ada@example.org"},"active":true,"score":null},\n',
  ],
  chinese: [
    "请先检查配置文件,再重新启动服务。",
    "这个函数在输入为空时会返回错误的结果。",
    "用户要求保留原来的接口名称,不得修改。",
  ],
  japanese: [
    "テストは三つ失敗しています。",
    "設定を変更する前に、必ず確認してください。",
    "ログを見ると、接続が切れていました。",
  ],
  russian: ["Сервер отвечает слишком медленно, проверьте журнал. ", "Не меняйте имена открытых функций. "],
  arabic: ["يرجى التحقق من السجل قبل إعادة التشغيل. ", "لا تغير أسماء الواجهات العامة. "],
  emoji: ["👩‍💻 working on it 🚀 ", "✅ done, 🧪 tests green 🎉 ", "🇩🇪🇯🇵👍🏽 ", "❤️‍🔥 caf\u00e9 e\u0301 "],
  facts: [
    "You must never delete rows from billing_events. ",
    "Always run `npm run migrate -- --dry-run` first. ",
    "The limit is 4 096 MB and the port is 8443. ",
    "See https://example.org/runbook#restore and /etc/app/limits.yaml. ",
    "Ticket OPS-2291 asks for a 12.5 % discount for customer c_77aa31. ",
    "Don't touch src/legacy/tax.ts; error E_RATE_TABLE means the cache is stale. ",
  ],
};

/** Deterministic text of a given kind and length, cut between characters. */
export function writeText({ kind = "prose", seed, chars }: WriteTextOptions): string {
  const random = createRandom(seed);
  const pieces: string[] = [];
  let length = 0;
  while (length < chars) {
    const piece = random.pick(sentences[kind]);
    pieces.push(piece);
    length += piece.length;
  }
  return cutBetweenCharacters(pieces.join(""), chars);
}

function cutBetweenCharacters(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const before = text.charCodeAt(chars - 1);
  const splitsPair = before >= 0xd800 && before <= 0xdbff;
  return text.slice(0, splitsPair ? chars - 1 : chars);
}
