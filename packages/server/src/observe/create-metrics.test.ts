import { expect, test } from "vitest";
import { startRecord } from "../requests/request-record.ts";
import { createMetrics } from "./create-metrics.ts";

const start = {
  id: "req_1",
  at: 0,
  tenant: "local",
  keyId: undefined,
  keyName: undefined,
  client: "test",
  protocol: "openai-chat",
  path: "/v1/chat/completions",
};

test("every ended request is in the Prometheus text, once, however often it is read", async () => {
  const metrics = createMetrics({ inFlight: () => 3, process: false });
  for (const [status, totalMs] of [
    [200, 4],
    [200, 400],
    [502, 400_000],
  ] as const) {
    metrics.turn({
      ...startRecord(start),
      status,
      totalMs,
      overheadMs: 0.4,
      outcome: "fits",
      tokensBefore: 100,
      tokensAfter: 100,
      usage: { input: 90, output: 5, cached: 0, cacheWrite: 0 },
    });
  }
  await metrics.expose();
  const lines = (await metrics.expose()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'midfold_requests_total{protocol="openai-chat",status="200",stream="false"} 2',
      'midfold_requests_total{protocol="openai-chat",status="502",stream="false"} 1',
      'midfold_folds_total{protocol="openai-chat",outcome="fits"} 3',
      'midfold_tokens_total{kind="received"} 300',
      'midfold_tokens_total{kind="billed_input"} 270',
      "midfold_overflow_retries_total 0",
      "midfold_in_flight 3",
      "# TYPE midfold_request_seconds histogram",
      'midfold_request_seconds_bucket{le="0.005",protocol="openai-chat"} 1',
      'midfold_request_seconds_bucket{le="0.5",protocol="openai-chat"} 2',
      'midfold_request_seconds_bucket{le="300",protocol="openai-chat"} 2',
      'midfold_request_seconds_bucket{le="+Inf",protocol="openai-chat"} 3',
      'midfold_request_seconds_sum{protocol="openai-chat"} 400.404',
      'midfold_request_seconds_count{protocol="openai-chat"} 3',
      'midfold_overhead_seconds_bucket{le="0.0005",protocol="openai-chat"} 3',
      'midfold_upstream_first_byte_seconds_count{protocol="openai-chat"} 0',
    ]),
  );
});
