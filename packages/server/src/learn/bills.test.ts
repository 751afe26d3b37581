import { describe, expect, it } from "vitest";
import { createBills } from "./bills.ts";

type Request = readonly [bytes: number, billed: number, counted?: number];

/** The plateau that each request of a conversation shows. */
function plateaus(requests: readonly Request[]) {
  const bills = createBills();
  return requests.map(([bytes, read, counted]) => bills.add("c", { bytes, read, counted }).plateau);
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

  it("show nothing where requests of different bytes have as many tokens: code, logs and prose differ in that", () => {
    const folded: Request[] = [
      [52_427, 11_779, 11_700],
      [52_962, 11_836, 11_760],
      [55_034, 11_834, 11_758],
    ];
    expect(plateaus([...folded, [51_900, 11_560, 11_480], [53_120, 11_834, 11_759], [54_100, 11_836, 11_761]])).toEqual(
      nothing,
    );
    // What was counted shows a cut as bytes do.
    const cut: Request[] = [
      [65_000, 15_500, 15_400],
      [70_000, 16_384, 16_700],
      [76_000, 16_384, 18_100],
      [82_000, 16_384, 19_500],
    ];
    expect(plateaus(cut)).toEqual([undefined, undefined, undefined, 16_384]);
  });
});
