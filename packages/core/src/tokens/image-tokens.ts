import type { ImagePart } from "../message/part.ts";

/** What an image of a size costs. */
export type ImageRule = (size: Size, detail: ImagePart["detail"]) => number;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an image whose size nobody knows is taken for: the largest that providers do not scale down. */
const unknownSize: Size = { width: 1536, height: 1536 };

export function imageTokens(image: ImagePart, rule: ImageRule): number {
  return rule(sizeOf(image) ?? unknownSize, image.detail);
}

/** OpenAI's larger models: fit into 2048², shortest side to 768, then 512² tiles. */
export const tiles =
  (base: number, perTile: number): ImageRule =>
  (size, detail) =>
    detail === "low" ? base : base + perTile * tileCount(size);

function sizeOf(image: ImagePart): Size | undefined {
  const { width, height } = image;
  if (width !== undefined && height !== undefined && width > 0 && height > 0) return { width, height };
  return image.data === undefined ? undefined : readImageSize(image.data);
}

function tileCount({ width, height }: Size): number {
  const into2048 = Math.min(1, 2048 / Math.max(width, height));
  const shortest = Math.min(width, height) * into2048;
  const fit = into2048 * Math.min(1, 768 / shortest);
  return Math.max(1, Math.ceil((width * fit) / 512)) * Math.max(1, Math.ceil((height * fit) / 512));
}

/** Width and height from the first bytes of a base64 PNG, JPEG, GIF or WebP; nothing else is decoded. */
export function readImageSize(base64: string): { width: number; height: number } | undefined {
  // A JPEG may carry a thumbnail and a colour profile before its size; 256 kB covers those.
  const bytes = decodeStart(base64, 262_144);
  if (bytes === undefined || bytes.length < 24) return undefined;
  const view = new DataView(bytes.buffer);
  const size = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function decodeStart(base64: string, maxBytes: number): Uint8Array<ArrayBuffer> | undefined {
  const quads = Math.min(Math.floor(base64.length / 4), Math.ceil(maxBytes / 3));
  try {
    return Uint8Array.from(atob(base64.slice(0, quads * 4)), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function readPng(view: DataView) {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function readGif(view: DataView) {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readWebp(view: DataView) {
  if (view.byteLength < 30 || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
  const chunk = view.getUint32(12);
  if (chunk === 0x56503858) return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
  if (chunk === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  return undefined;
}

function readJpeg(view: DataView) {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
