import { describe, expect, it } from "vitest";
import { createBills } from "./bills.ts";

type Request = readonly [bytes: number, billed: number, counted?: number];

/** The plateau that each request of a conversation shows. */
function plateaus(requests: readonly Request[]) {
  const bills = createBills();
  return requests.map(([bytes, read, counted]) => bills.add("c", { bytes, read, counted }).plateau);
}
const nothing = Array<undefined>(6).fill(undefined);

describe("bills of a conversation that grows", () => {
  /** So many requests of 1 000 tokens more each, cut to so much, give or take so much. */
  const growing = (count: number, cut: number, jitter: readonly number[]): Request[] =>
    Array.from({ length: count }, (_, i) => {
      const tokens = 12_000 + 1_000 * i;
      return [tokens * 4, Math.round(Math.min(tokens, cut) * (1 + (jitter[i % jitter.length] ?? 0)))];
    });

  it.each([[[0.01, -0.01, 0.004, -0.006, 0.009]], [[-0.01, 0.01, 0, 0.01, -0.004]], [[0.002, -0.009, 0.01, -0.01]]])(
    "show that it is cut within five requests, also where each bill is off by up to a hundredth: %j",
    (jitter) => {
      const found = plateaus(growing(14, 18_000, jitter));
      // The request of 18 000 tokens is the seventh.
      expect(found.slice(0, 8)).toEqual([...nothing, undefined, undefined]);
      const at = found.findIndex((plateau) => plateau !== undefined);
      expect(at).toBeGreaterThan(7);
      expect(at).toBeLessThan(12);
      expect(Math.abs((found[at] ?? 0) / 18_000 - 1)).toBeLessThanOrEqual(0.011);
    },
  );

  it("show it too where the conversation is longer than what is read when it is first seen", () => {
    // 25 000 tokens to 28 000, of which 18 000 are read: by the fifth request it would be folded.
    const found = plateaus(growing(17, 18_000, [0.01, -0.01, 0.004, -0.006, 0.009]).slice(13));
    expect(found).toEqual([undefined, undefined, undefined, 18_180]);
  });

  it("do not correct our counts once they stop growing, whether up or down by a hundredth", () => {
    const bills = createBills();
    const suspects = growing(14, 18_000, [0.01, -0.01, 0.004, -0.006, 0.009]).map(
      ([bytes, read]) => bills.add("c", { bytes, read }).suspect,
    );
    expect(suspects.slice(0, 6)).not.toContain(true);
    expect(suspects.slice(8)).not.toContain(false);
  });

  it("show nothing where they are right and only rise slowly, or fall now and then while nothing is cut", () => {
    expect(plateaus(growing(14, 100_000, [0.01, -0.01, 0.004, -0.006, 0.009])).every((p) => p === undefined)).toBe(
      true,
    );
    // A picture is many bytes and few tokens.
    const picture: Request[] = [
      [200_000, 50_000],
      [230_000, 50_800],
      [231_000, 51_050],
      [232_000, 51_300],
      [233_000, 51_550],
    ];
    expect(plateaus(picture)).toEqual(nothing.slice(1));
  });
});

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
