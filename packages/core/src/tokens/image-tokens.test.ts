import { describe, expect, it } from "vitest";
import type { ImagePart } from "../message/part.ts";
import { findFamily } from "./families/find-family.ts";
import { imageTokens, readImageSize } from "./image-tokens.ts";

const image = (width: number, height: number, detail?: ImagePart["detail"]): ImagePart => ({
  type: "image",
  width,
  height,
  ...(detail !== undefined && { detail }),
});
const tokens = (model: string, part: ImagePart) => imageTokens(part, findFamily(model)!.image);

describe("imageTokens", () => {
  // The worked examples of OpenAI's guide.
  it("counts OpenAI's tiles", () => {
    expect(tokens("gpt-4o", image(1024, 1024, "high"))).toBe(765);
    expect(tokens("gpt-4o", image(2048, 4096, "high"))).toBe(1105);
    expect(tokens("gpt-4o", image(4096, 8192, "low"))).toBe(85);
    expect(tokens("gpt-4o", image(10, 10))).toBe(255);
    expect(tokens("gpt-5", image(1024, 1024))).toBe(630);
  });

  it("counts OpenAI's patches", () => {
    expect(tokens("gpt-4.1-mini", image(1024, 1024))).toBe(Math.ceil(1024 * 1.62));
    expect(tokens("gpt-4.1-mini", image(1800, 2400))).toBe(Math.ceil(1452 * 1.62));
    expect(tokens("gpt-4.1-nano", image(8000, 8000))).toBeLessThanOrEqual(Math.ceil(1536 * 2.46));
  });

  it("counts Claude's area", () => {
    expect(tokens("claude-opus-4-5", image(200, 200))).toBe(54);
    expect(tokens("claude-opus-4-5", image(1000, 1000))).toBe(1334);
    expect(tokens("claude-opus-4-5", image(8000, 8000))).toBe(1600);
  });

  it("counts Gemini's tiles", () => {
    expect(tokens("gemini-2.5-pro", image(384, 384))).toBe(258);
    expect(tokens("gemini-2.5-pro", image(1536, 768))).toBe(516);
  });

  it("takes an image of unknown size for a large one", () => {
    expect(tokens("claude-opus-4-5", { type: "image", url: "https://example.com/a.png" })).toBe(1600);
    expect(tokens("gpt-4o", { type: "image", fileId: "file-1" })).toBe(765);
  });
});

describe("readImageSize", () => {
  const base64 = (...bytes: number[]) => btoa(String.fromCharCode(...bytes, ...new Array(40).fill(0)));
  const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0));

  it("reads PNG, GIF, JPEG and the three kinds of WebP", () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAUCAYAAAC07w7bAAAADUlEQVR42mNk";
    expect(readImageSize(png)).toEqual({ width: 10, height: 20 });
    expect(readImageSize(base64(...ascii("GIF89a"), 0x2c, 0x01, 0x90, 0x01))).toEqual({ width: 300, height: 400 });
    const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0x02, 0x00, 0x03, 0x00];
    expect(readImageSize(base64(...jpeg))).toEqual({ width: 768, height: 512 });
    const webp = (kind: string, ...rest: number[]) => [...ascii("RIFF"), 0, 0, 0, 0, ...ascii(`WEBP${kind}`), ...rest];
    const extended = webp("VP8X", 10, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0);
    expect(readImageSize(base64(...extended))).toEqual({ width: 640, height: 480 });
    const lossy = webp("VP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x00);
    expect(readImageSize(base64(...lossy))).toEqual({ width: 320, height: 240 });
    const lossless = webp("VP8L", 0, 0, 0, 0, 0x2f, 0x63, 0x40, 0x0c, 0x00);
    expect(readImageSize(base64(...lossless))).toEqual({ width: 100, height: 50 });
  });

  it("finds nothing in anything else", () => {
    for (const data of ["", "AAAA", "%%%", base64(...ascii("BM plain bitmap header")), base64(0xff, 0xd8, 0x00)]) {
      expect(readImageSize(data)).toBeUndefined();
    }
  });
});
