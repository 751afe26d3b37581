/** One request of the conversation, as it would have been sent. */
export interface ReplayedTurn {
  /** Messages of the original that were there at the time. */
  readonly messages: number;
  readonly sent: number;
  /** Of those, tokens the previous request also started with, which providers bill at a fraction. */
  readonly cached: number;
  readonly answer: number;
  /** `overflow`: it did not fit, and folding could not help. */
  readonly outcome: "sent" | "folded" | "overflow";
}

export interface Replay {
  readonly name: string;
  readonly turns: readonly ReplayedTurn[];
  readonly folds: number;
  readonly overflows: number;
  readonly sent: number;
  readonly cached: number;
  readonly largest: number;
  /** Dollars; undefined where no price is known. */
  readonly cost: number | undefined;
}

export interface DescribeReplayOptions {
  readonly model: string;
  readonly window: number;
  readonly replays: readonly Replay[];
  readonly listTurns: boolean;
}

const columns = 64;
const rows = 8;
const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A chart of request sizes per preset, and a table of what each costs. */
export function describeReplay({ model, window, replays, listTurns }: DescribeReplayOptions): string {
  const turns = replays[0]?.turns.length ?? 0;
  const top = Math.max(1, ...replays.map(({ largest }) => largest));
  const charts = replays.map((replay) => `${chart(replay, top)}${listTurns ? list(replay) : ""}`);
  const lines = [
    `${turns} requests, ${model}, window ${window}. Height: tokens sent, ${top} at the top; ▼ a fold, ✕ does not fit.`,
    "",
    ...charts,
    table(replays),
  ];
  return `${lines.join("\n")}\n`;
}

function chart({ name, turns }: Replay, top: number): string {
  const shown = sample(turns);
  const lines = [`${name}`];
  for (let row = rows - 1; row >= 0; row--) {
    const cells = shown.map(({ sent }) => {
      const filled = Math.round((sent / top) * rows * 8) - row * 8;
      return eighths[Math.max(0, Math.min(8, filled))];
    });
    lines.push(`  │${cells.join("")}`);
  }
  const marks = shown.map(({ outcome }) => (outcome === "folded" ? "▼" : outcome === "overflow" ? "✕" : "─"));
  return `${lines.join("\n")}\n  └${marks.join("")}\n`;
}

/** At most one column per character; a column with several turns shows the largest, and a fold or overflow among them. */
function sample(turns: readonly ReplayedTurn[]): ReplayedTurn[] {
  const width = Math.min(columns, turns.length);
  return Array.from({ length: width }, (_, column) => {
    const part = turns.slice(
      Math.floor((column * turns.length) / width),
      Math.floor(((column + 1) * turns.length) / width),
    );
    const largest = part.reduce((best, turn) => (turn.sent > best.sent ? turn : best));
    const outcome =
      part.find((turn) => turn.outcome === "overflow")?.outcome ??
      part.find((turn) => turn.outcome === "folded")?.outcome;
    return { ...largest, outcome: outcome ?? "sent" };
  });
}

function list({ turns }: Replay): string {
  return turns
    .map(
      ({ messages, sent, cached, outcome }, index) =>
        `  ${String(index + 1).padStart(4)}  ${String(messages).padStart(5)} messages  ${String(sent).padStart(9)} tokens  ${String(cached).padStart(9)} cached  ${outcome}\n`,
    )
    .join("");
}

function table(replays: readonly Replay[]): string {
  const cells = [
    ["", "folds", "do not fit", "largest", "tokens sent", "of those cached", "cost"],
    ...replays.map(({ name, turns, folds, overflows, largest, sent, cached, cost }) => [
      name,
      String(folds),
      String(overflows),
      String(largest),
      String(sent),
      `${sent === 0 ? 0 : Math.round((100 * cached) / sent)}%`,
      cost === undefined
        ? "no price known"
        : `$${cost.toFixed(cost < 1 ? 4 : 2)}${overflows === 0 ? "" : ` for ${turns.length - overflows} of ${turns.length}`}`,
    ]),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return cells
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
    )
    .join("\n");
}
