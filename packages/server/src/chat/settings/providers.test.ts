import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@midfold/store";
import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../../testing/start-gateway.ts";

let folder: string;
let store: Store;
let gateway: GatewayUnderTest;
let mine: Simulator;
let theirs: Simulator;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "midfold-providers-"));
  store = await openStore({ url: `sqlite:${join(folder, "a.db")}` });
  mine = await startSimulator({ protocol: "openai-chat" });
  theirs = await startSimulator({ protocol: "openai-chat" });
  gateway = await startGateway({
    store,
    env: { KEY: "sk-of-the-server-1234" },
    yaml: JSON.stringify({
      // Requests that must finish get an hour: closing while something else is open would exceed the test's own limit.
      server: { keys: "required", deadlines: { shutdown: 3_600_000 } },
      upstreams: { mine: { baseUrl: `${mine.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "gpt-4o", upstream: "mine" }],
    }),
  });
});
afterEach(async () => {
  await gateway.close();
  await store.close();
  await mine.close();
  await theirs.close();
  await rm(folder, { recursive: true, force: true });
});

const keyFor = async (owner: string, limits = {}) =>
  (await store.of(owner).keys.create({ name: owner, limits })).secret;

/** Calls the API with a key; the answer's status and body. */
const as =
  (key: string) =>
  async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${gateway.url}/api${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : { text } };
  };

const turn = async (call: ReturnType<typeof as>, model: string) => {
  const session = await call("POST", "/sessions", { title: "t", model });
  return call("POST", `/sessions/${String(session.body.id)}/messages`, { text: "Hello, secret of mine", model });
};
const asked = ({ requests }: Simulator) => requests.filter(({ method }) => method === "POST");

describe("a provider that one owner enters", () => {
  it("never gets another owner's turn, nor beats a configured route", async () => {
    const admin = as(await keyFor("mallory", { admin: true }));
    const anna = as(await keyFor("anna"));
    const put = await admin("PUT", "/providers/own", {
      kind: "generic",
      baseUrl: `${theirs.url}/v1`,
      key: "sk-of-mallory-9999",
    });
    expect(put.status).toBe(200);
    await admin("PUT", "/keys/providers", { provider: "openai", key: "sk-of-mallory-9999" });
    expect(JSON.stringify(put.body)).not.toContain("sk-of-mallory");
    expect((await turn(anna, "gpt-4o")).status).toBe(200);
    expect((await turn(admin, "gpt-4o")).status).toBe(200);
    expect(asked(theirs)).toHaveLength(0);
    expect(asked(mine)).toHaveLength(2);
    expect((await turn(anna, "own/gpt-4o")).status).toBe(404);
    expect(asked(theirs)).toHaveLength(0);
    expect((await turn(admin, "own/gpt-4o")).status).toBe(200);
    expect(asked(theirs)[0]?.headers.authorization).toBe("Bearer sk-of-mallory-9999");
    expect((await anna("GET", "/providers")).body.providers).toEqual([]);
    expect((await anna("DELETE", "/providers/own")).status).toBe(404);
    expect((await admin("DELETE", "/providers/own")).status).toBe(204);
    expect((await turn(admin, "own/gpt-4o")).status).toBe(404);
  });

  it("answers its owner's programs through the gateway, and nobody else's", async () => {
    const [mallory, anna] = [await keyFor("mallory", { admin: true }), await keyFor("anna")];
    const baseUrl = `${theirs.url}/v1`;
    await as(mallory)("PUT", "/providers/own", { kind: "generic", baseUrl, key: "sk-of-mallory-9999" });
    const post = (key: string, model: string) =>
      gateway.post(
        "/v1/chat/completions",
        { model, messages: [{ role: "user", content: "hi" }] },
        { "x-api-key": key },
      );
    expect((await post(mallory, "own/gpt-4o")).status).toBe(200);
    expect(asked(theirs)[0]?.headers.authorization).toBe("Bearer sk-of-mallory-9999");
    expect(asked(theirs)[0]?.body).toMatchObject({ model: "gpt-4o" });
    expect((await post(anna, "own/gpt-4o")).status).toBe(404);
    // A configured route that names the model goes first.
    expect((await post(mallory, "gpt-4o")).status).toBe(200);
    expect(asked(theirs)).toHaveLength(1);
    await as(mallory)("DELETE", "/providers/own");
    expect((await post(mallory, "own/gpt-4o")).status).toBe(404);
  });

  it.each([
    ["http://127.0.0.1:4141/v1", "generic"],
    ["http://169.254.169.254/latest", "generic"],
    ["http://models.example/v1", "generic"],
    ["https://[::1]/v1", "generic"],
    ["https://localhost/v1", "generic"],
    ["file:///etc/passwd", "generic"],
    ["https://user:pass@models.example/v1", "generic"],
    [undefined, "ollama"],
    [undefined, "generic"],
    ["https://models.example", "demo"],
  ])("cannot be at %s (%s) for a key without rights", async (baseUrl, kind) => {
    const anna = as(await keyFor("anna"));
    const { status } = await anna("PUT", "/providers/near", { kind, baseUrl, key: "sk-x" });
    expect(status).toBe(400);
  });

  it("cannot take the name of a configured upstream, nor a name that is a path", async () => {
    const anna = as(await keyFor("anna"));
    const good = { kind: "openai", key: "sk-x" };
    for (const name of ["mine", "a%2Fb", "a b"]) {
      expect((await anna("PUT", `/providers/${encodeURIComponent(name)}`, good)).status).toBe(400);
    }
    expect((await anna("PUT", "/providers/openai", good)).status).toBe(200);
  });

  it("shows the ends of the server's own keys to administrators only", async () => {
    const hints = async (key: string) => JSON.stringify((await as(key)("GET", "/keys")).body);
    expect(await hints(await keyFor("anna"))).not.toContain("1234");
    expect(await hints(await keyFor("root", { admin: true }))).toContain("…1234");
  });
});

describe("limits of a key", () => {
  it("hold for chat turns", async () => {
    const anna = as(await keyFor("anna", { requestsPerMinute: 1 }));
    const { status: first } = await turn(anna, "gpt-4o");
    const rest = await Promise.all(Array.from({ length: 5 }, () => turn(anna, "gpt-4o")));
    expect([first, ...rest.map(({ status }) => status)]).toEqual([200, 429, 429, 429, 429, 429]);
    expect(asked(mine)).toHaveLength(1);
  });

  it("hold for chat turns in tokens", async () => {
    const anna = as(await keyFor("anna", { tokensPerMinute: 5 }));
    await turn(anna, "gpt-4o");
    await turn(anna, "gpt-4o");
    expect(asked(mine)).toHaveLength(1);
  });

  it("are shared with the keys it makes, which end with it", async () => {
    const { key, secret } = await store.of("anna").keys.create({ name: "a", limits: { requestsPerMinute: 1 } });
    const made = await as(secret)("POST", "/keys/clients", { name: "more" });
    const child = as(String(made.body.key));
    expect((await turn(as(secret), "gpt-4o")).status).toBe(200);
    expect((await turn(child, "gpt-4o")).status).toBe(429);
    const again = await child("POST", "/keys/clients", { name: "even more" });
    expect((await turn(as(String(again.body.key)), "gpt-4o")).status).toBe(429);
    await store.of("anna").keys.revoke(key.id);
    expect((await store.of("anna").keys.list()).filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
  });

  it("do not let a key revoke an administrator's", async () => {
    const { key } = await store.of("anna").keys.create({ name: "root", limits: { admin: true } });
    const anna = as(await keyFor("anna"));
    expect((await anna("DELETE", `/keys/clients/${key.id}`)).status).toBe(403);
    const own = await anna("POST", "/keys/clients", { name: "child" });
    expect((await anna("DELETE", `/keys/clients/${String(own.body.id)}`)).status).toBe(204);
  });

  it("let one key open so many feeds, and leave others their places", async () => {
    const key = await keyFor("anna");
    const controller = new AbortController();
    const open = await Promise.all(
      Array.from({ length: 80 }, () =>
        fetch(`${gateway.url}/api/events`, { headers: { "x-api-key": key }, signal: controller.signal }),
      ),
    );
    expect(open.filter(({ status }) => status === 200)).toHaveLength(64);
    expect(open.filter(({ status }) => status === 429)).toHaveLength(16);
    expect((await as(await keyFor("ben"))("GET", "/sessions")).status).toBe(200);
    // Open feeds are ended, instead of waiting the hour that a running request has to finish.
    await gateway.close();
    controller.abort();
  });
});
