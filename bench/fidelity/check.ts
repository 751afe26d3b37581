import type { Tally } from "./measure-set.ts";
import { measures, type Run } from "./report.ts";

/** Presets are judged as shipped; what a caller may also ask for (a known window, the whole budget) as well. */
const presetNames = ["agent", "chat", "compact", "sandwich", "proxy"];
const rivals = ["sliding window", "ledger"];
/** Less than this is noise of a few needs. */
const slack = 0.005;

/** A digest alone is no conversation: the user's last message goes out beside it. */
/** What would make the claims untrue: worse than a simple baseline on any set at any ratio, invalid, over the budget. */
export function checkResults({ results, ratios, contestants }: Run): string[] {
  const problems: string[] = [];
  const mine = contestants.filter((name) => presetNames.some((preset) => name.startsWith(preset)) || name === "digest");
  for (const set of Object.values(results.set)) {
    for (const ratio of ratios) {
      for (const name of mine) {
        const tally = set.tallies[name]?.[ratio];
        if (tally === undefined) continue;
        const where = `${set.name} at ${ratio}:1, ${name}`;
        if (tally.invalid > 0) problems.push(`${where}: ${tally.invalid} invalid`);
        if (tally.over > 0) problems.push(`${where}: ${tally.over} over budget`);
        for (const rival of rivals) {
          const other = set.tallies[rival]?.[ratio];
          if (other === undefined) continue;
          for (const { key, title, group, part, whole } of measures) {
            // A digest alone is no conversation: the user's last message goes out beside it.
            if (group !== set.group || (key === "asked" && name === "digest")) continue;
            const [ours, theirs] = [shareOf(tally, part, whole), shareOf(other, part, whole)];
            if (ours === undefined || theirs === undefined || ours >= theirs - slack) continue;
            problems.push(`${where}: ${title} ${(100 * ours).toFixed(0)}, ${rival} ${(100 * theirs).toFixed(0)}`);
          }
        }
      }
    }
  }
  return problems;
}

function shareOf(tally: Tally, part: keyof Tally, whole: keyof Tally): number | undefined {
  return tally[whole] < 5 ? undefined : tally[part] / tally[whole];
}
