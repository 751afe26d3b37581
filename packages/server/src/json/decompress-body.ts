import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { MidfoldError } from "@midfold/core";
import { allocateBytes } from "./allocate-bytes.ts";

const decoders = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** Decompresses a body, never to more than `maxBytes`: a few kilobytes can unpack to gigabytes. */
export async function decompressBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "") return bytes;
  if (!Object.hasOwn(decoders, name)) {
    throw new MidfoldError(
      "UNSUPPORTED_MEDIA_TYPE",
      `A body encoded as ${name} is not read; send it plain, or as ${Object.keys(decoders).join(", ")}.`,
    );
  }
  try {
    const plain = await decoders[name as keyof typeof decoders](bytes, { maxOutputLength: maxBytes });
    const whole = allocateBytes(plain.length);
    whole.set(plain);
    return whole;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      const message = `The request body unpacks to more than the ${maxBytes} bytes this server reads.`;
      throw new MidfoldError("BODY_TOO_LARGE", message, { details: { maxBytes }, cause });
    }
    throw new MidfoldError("VALIDATION_ERROR", `The request body is not valid ${name}.`, { cause });
  }
}
