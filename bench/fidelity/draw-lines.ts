export interface LineChart {
  readonly title: string;
  /** What stands below each column. */
  readonly axis: readonly string[];
  /** Percentages, one per column. */
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const width = 640;
const height = 340;
const left = 44;
const right = 150;
const top = 44;
const bottom = 36;
const colours = ["#c2410c", "#b45309", "#7c3aed", "#64748b", "#0f766e", "#2563eb", "#be185d"];

/** A line chart as SVG, readable on light and dark pages. */
export function drawLines({ title, axis, lines }: LineChart): string {
  const x = (column: number) => left + (column * (width - left - right)) / Math.max(1, axis.length - 1);
  const y = (value: number) => top + ((100 - value) * (height - top - bottom)) / 100;
  const grid = [0, 25, 50, 75, 100].map(
    (value) =>
      `<path d="M${left} ${y(value)}H${width - right}" stroke="#e2e8f0"/><text x="${left - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  );
  const columns = axis.map(
    (label, column) => `<text x="${x(column)}" y="${height - 12}" text-anchor="middle">${label}</text>`,
  );
  const labels = spread(lines.map(({ values }) => y(values.at(-1)!)));
  const drawn = lines.map(({ name, values }, number) => {
    const colour = colours[number % colours.length]!;
    const points = values.map((value, column) => `${x(column).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/><text x="${width - right + 8}" y="${(labels[number]! + 4).toFixed(1)}" fill="${colour}">${name} ${values.at(-1)!.toFixed(0)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#334155">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="${left}" y="24" font-size="14" font-weight="600">${title}, %</text>
${[...grid, ...columns, ...drawn].join("\n")}
</svg>
`;
}

/** Heights moved apart so that no two labels overlap. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height);
  const placed: number[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { height, index } of order) {
    lowest = Math.max(height, lowest + 14);
    placed[index] = lowest;
  }
  return placed;
}
