import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { MidfoldError } from "@midfold/core";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly keysRequired: boolean;
}

const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** Starts listening; refuses an address that others can reach when no keys are required. */
export async function listenOn(
  server: Server,
  options: ListenOptions,
): Promise<{ readonly host: string; readonly port: number; readonly url: string }> {
  const host = options.host.replace(/^\[|\]$/g, "");
  if (!options.keysRequired && !loopback.test(host)) {
    throw new MidfoldError(
      "INVALID_CONFIG",
      `Refusing to listen on ${host}: without keys anybody there could spend on your accounts. Set server.keys to required, or use 127.0.0.1.`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(cannotListen(host, options.port, cause)));
    server.listen({ host, port: options.port }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { host, port, url: `http://${host.includes(":") ? `[${host}]` : host}:${port}` };
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): MidfoldError {
  const why =
    cause.code === "EADDRINUSE" ? "something else is listening there; choose another port" : String(cause.code);
  return new MidfoldError("INVALID_CONFIG", `Cannot listen on ${host}:${port}: ${why}.`, { cause });
}
