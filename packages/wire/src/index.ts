export { type CircuitBreakerOptions, createCircuitBreaker } from "./upstream/circuit-breaker.ts";
export { isForbiddenAddress, namesItsAddress } from "./upstream/forbidden-address.ts";
export { readRejection, readText, redactedExcerpt } from "./upstream/read-rejection.ts";
export { defaultRetryPolicy, type RetryPolicy, readRetryAfter } from "./upstream/retry-policy.ts";
export {
  type Deadlines,
  defaultDeadlines,
  defaultUpstreamLimits,
  type Upstream,
  type UpstreamLimits,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./upstream/upstream.ts";
export {
  type AttemptEvent,
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamClientOptions,
} from "./upstream/upstream-client.ts";
export { forwardableHeaders } from "./upstream/upstream-headers.ts";
