import { MidfoldError } from "@midfold/core";
import { type ServerConfig, type UpstreamConfig, upstreamOf } from "@midfold/server";
import { createUpstreamClient, decodeModelList, protocolPaths, readText } from "@midfold/wire";

export interface UpstreamFindings {
  readonly detail: string;
  /** The models it lists; undefined where it has no list or does not allow us to read it. */
  readonly models: readonly string[] | undefined;
}

const patienceMs = 10_000;
const mostBytes = 8 * 1024 * 1024;

/**
 * Asks an upstream for its models, which checks address and key for free. Throws with an explanation when it refuses.
 */
export async function checkUpstream(config: ServerConfig, upstream: UpstreamConfig): Promise<UpstreamFindings> {
  const client = createUpstreamClient({ retry: { retries: 0 } });
  try {
    const response = await client.send(upstreamOf(config, upstream), {
      method: "GET",
      path: protocolPaths[upstream.protocols[0]].models,
      deadlines: { firstByte: patienceMs, total: patienceMs },
    });
    const body = await readText(response.body, mostBytes);
    const { status } = response;
    if (status === 401 || status === 403) {
      if (upstream.credentials === "passthrough")
        return { detail: "reachable; callers bring their own key", models: undefined };
      const variable = upstream.apiKeyEnv === undefined ? "" : ` in ${upstream.apiKeyEnv}`;
      throw new MidfoldError("UPSTREAM_CREDENTIALS", `It refuses the key${variable} (${status}).`);
    }
    const models = status === 200 ? namesIn(body) : undefined;
    const list = models === undefined ? `answers ${status}, without a list of models` : `${models.length} models`;
    return { detail: `reachable at ${upstream.baseUrl}, ${list}`, models };
  } finally {
    await client.close();
  }
}

function namesIn(body: string): readonly string[] | undefined {
  try {
    return decodeModelList(JSON.parse(body)).map(({ id }) => id);
  } catch {
    return undefined;
  }
}
