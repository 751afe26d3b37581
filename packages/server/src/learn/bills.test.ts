import { describe, expect, it } from "vitest";
import { createBills } from "./bills.ts";

type Request = readonly [bytes: number, billed: number];

/** The plateau that each request of a conversation shows. */
function plateaus(requests: readonly Request[]) {
  const bills = createBills();
  return requests.map(([bytes, billed]) => bills.add("c", { bytes, read: billed }).plateau);
}
const nothing = Array<undefined>(6).fill(undefined);

describe("bills of a conversation that is folded every few turns", () => {
  const small: Request = [30_000, 7_500];

  it("show that it is cut, although never three requests in a row are", () => {
    const first: Request[] = [small, [65_000, 15_500], [70_000, 16_384], [76_000, 16_384]];
    const second: Request[] = [small, [61_000, 15_200], [72_000, 16_384]];
    expect(plateaus([...first, ...second])).toEqual([...nothing, 16_384]);
  });

  it("show nothing where requests of the same size have the same bill", () => {
    expect(plateaus([small, [70_000, 17_500], small, [70_300, 17_501], small, [70_600, 17_500]])).toEqual(nothing);
  });

  it("show nothing where the bill is for what was added, nor where it is too small to be a window", () => {
    const added = [30_000, 40_000, 50_000].flatMap((bytes): Request[] => [
      [bytes, 7_500],
      [bytes + 10_000, 2_500],
    ]);
    expect(plateaus(added)).toEqual(nothing);
    const tiny = [3_000, 3_300, 3_600].flatMap((bytes): Request[] => [
      [bytes, 600],
      [bytes + 200, 900],
    ]);
    expect(plateaus(tiny)).toEqual(nothing);
  });

  it("show nothing where the bill grows with the request", () => {
    const grown = [60_000, 66_000, 72_000].flatMap((bytes): Request[] => [small, [bytes, bytes / 4]]);
    expect(plateaus(grown)).toEqual(nothing);
  });
});
