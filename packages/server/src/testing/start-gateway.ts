import { pino } from "pino";
import { loadConfig } from "../config/load-config.ts";
import { createServer } from "../create-server.ts";
import type { MidfoldServer, ServerOptions } from "../server-options.ts";

export interface GatewayUnderTest {
  readonly url: string;
  readonly server: MidfoldServer;
  /** Parsed log lines so far. */
  readonly lines: readonly Record<string, unknown>[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export interface StartGatewayOptions extends Partial<Omit<ServerOptions, "config" | "logger">> {
  /** Configuration as YAML. */
  readonly yaml?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly logLevel?: string;
}

/** A real server on a free loopback port, configured the way a user would. */
export async function startGateway(options: StartGatewayOptions = {}): Promise<GatewayUnderTest> {
  const { yaml, env = {}, logLevel = "debug", ...rest } = options;
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: logLevel, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = loadConfig(yaml === undefined ? undefined : { file: "test.yaml", text: yaml }, env);
  const server = createServer({ config, logger, demoDelayMs: 0, version: "test", ...rest });
  const { url } = await server.listen({ port: 0 });
  return {
    url,
    server,
    lines,
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    close: () => server.close(),
  };
}
