import type { IncomingMessage } from "node:http";
import { MidfoldError } from "@midfold/core";
import { allocateBytes } from "../json/allocate-bytes.ts";

/**
 * Reads a body, never holding more than `maxBytes`; a declared length over the limit is refused unread. `permit` is called
 * before the first byte is waited for; `onBytes` with the size so far, and may throw to refuse the rest.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  permit: () => void,
  onBytes: (size: number) => void = () => undefined,
): Promise<Uint8Array> {
  const declared = Number(request.headers["content-length"] ?? Number.NaN);
  if (declared > maxBytes) return Promise.reject(tooLarge(maxBytes));
  permit();
  return new Promise((resolve, reject) => {
    // One buffer where the length is known: keeping chunks until the end would double the memory of a large request.
    let whole: Buffer | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void) => {
      request.off("data", onData);
      request.off("end", onEnd);
      request.off("error", onError);
      request.off("close", onClose);
      finish();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        settle(() => reject(tooLarge(maxBytes)));
        return;
      }
      try {
        onBytes(size);
      } catch (error) {
        request.pause();
        settle(() => reject(error));
        return;
      }
      // What arrives in one piece, as nearly all short requests do, is not copied.
      if (whole === undefined && (Number.isNaN(declared) || chunk.length >= declared)) chunks.push(chunk);
      else {
        whole ??= allocateBytes(declared);
        chunk.copy(whole, size - chunk.length);
      }
    };
    const onEnd = () =>
      settle(() =>
        resolve(whole?.subarray(0, size) ?? (chunks.length === 1 ? (chunks[0] as Buffer) : join(chunks, size))),
      );
    const onError = (cause: unknown) => settle(() => reject(gone(cause)));
    const onClose = () => settle(() => reject(gone(undefined)));
    request.on("data", onData);
    request.on("end", onEnd);
    request.on("error", onError);
    request.on("close", onClose);
  });
}

function join(chunks: readonly Buffer[], size: number): Buffer {
  const whole = allocateBytes(size);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

function tooLarge(maxBytes: number): MidfoldError {
  return new MidfoldError(
    "BODY_TOO_LARGE",
    `The request body is larger than the ${maxBytes} bytes this server reads.`,
    {
      details: { maxBytes },
    },
  );
}

function gone(cause: unknown): MidfoldError {
  return new MidfoldError("ABORTED", "The client left before its request was complete.", { cause });
}
