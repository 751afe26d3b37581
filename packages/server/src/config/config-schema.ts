import { providerKinds as realProviderKinds } from "@midfold/wire";
import { z } from "zod";
import { settingValuesSchema } from "../api/settings.ts";
import { compactSchema, foldShape } from "./fold-schema.ts";

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const byteUnits: Readonly<Record<string, number>> = { b: 1, kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3 };

/** Milliseconds, or a text such as `500ms`, `30s`, `2m`, `30d`. */
const durationSchema = quantity(durationUnits, "a duration such as 500ms, 30s or 2m, or a number of milliseconds");

/** Bytes, or a text such as `512kb`, `32mb`. */
const bytesSchema = quantity(byteUnits, "a size such as 512kb or 32mb, or a number of bytes");

function quantity(units: Readonly<Record<string, number>>, expected: string) {
  return z.union([z.number(), z.string()]).transform((value, context) => {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(value).trim());
    const unit = match?.[2] === "" ? 1 : units[match?.[2]?.toLowerCase() ?? "?"];
    const amount = Math.round(Number(match?.[1]) * (unit ?? Number.NaN));
    if (Number.isSafeInteger(amount) && amount > 0) return amount;
    context.addIssue({ code: "custom", message: `must be ${expected}` });
    return z.NEVER;
  });
}

const tokens = z.int().positive();
const name = z.string().min(1).max(200);
const share = z.number().gt(0).max(1);

const upstreamDeadlines = {
  connect: durationSchema.optional(),
  firstByte: durationSchema.optional(),
  idle: durationSchema.optional(),
  total: durationSchema.optional(),
};

/** Real providers, and the built-in model that needs none. */
export const providerKinds = [...realProviderKinds, "demo"] as const;

export const protocolNames = ["anthropic-messages", "openai-chat", "openai-responses"] as const;
const protocol = z.enum(protocolNames);

export const upstreamSchema = z.strictObject({
  provider: z.enum(providerKinds).default("generic"),
  protocol: z.union([protocol, z.array(protocol).min(1)]).optional(),
  baseUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/]+/, "must be an http:// or https:// address")
    .optional(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable, not the key itself")
    .optional(),
  credentials: z.enum(["managed", "passthrough", "optional", "none"]).optional(),
  headers: z.record(z.string().regex(/^[\w-]+$/), z.string()).default({}),
  privateNetwork: z.boolean().default(false),
  deadlines: z.strictObject(upstreamDeadlines).default({}),
});

const prices = z.strictObject({
  input: z.number().nonnegative().optional(),
  output: z.number().nonnegative().optional(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});

const modelSchema = z.strictObject({
  window: tokens.optional(),
  maxOutput: tokens.optional(),
  maxInput: tokens.optional(),
  countAs: name.optional(),
  threshold: share.optional(),
  retentionTokens: tokens.optional(),
  prices: prices.optional(),
});

const routeSchema = z.strictObject({
  model: name,
  aliases: z.array(name).default([]),
  upstream: z.union([name, upstreamSchema]),
  upstreamModel: name.optional(),
  window: tokens.optional(),
  maxOutput: tokens.optional(),
  countAs: name.optional(),
  ...foldShape,
});

const serverSchema = z.strictObject({
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  hosts: z.array(z.string().toLowerCase()).default([]),
  origins: z.array(z.string().regex(/^https?:\/\/[^/]+$/, "must be an origin such as https://app.example")).default([]),
  trustedProxies: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  keys: z.enum(["none", "required"]).optional(),
  database: z
    .string()
    .regex(/^(none$|sqlite:.+|postgres(ql)?:\/\/.+)/, "must be sqlite:path, postgres://… or none")
    .optional(),
  capture: z.boolean().default(false),
  requestLog: z
    .strictObject({
      keep: z.int().min(0).default(100_000),
      maxAge: durationSchema.default(30 * 86_400_000),
    })
    .prefault({}),
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  limits: z
    .strictObject({
      bodyBytes: bytesSchema.default(32 * 1024 ** 2),
      bodyBytesInFlight: bytesSchema.default(256 * 1024 ** 2),
      jsonDepth: z.int().positive().default(200),
      jsonValues: z.int().positive().default(250_000),
      messages: z.int().positive().default(20_000),
      parts: z.int().positive().default(50_000),
      tools: z.int().positive().default(2_000),
      inFlight: z.int().positive().default(512),
      connections: z.int().positive().default(2_000),
      headerBytes: bytesSchema.default(32 * 1024),
      headerCount: z.int().positive().default(200),
      requestsPerMinute: z.int().positive().optional(),
      tokensPerMinute: z.int().positive().optional(),
      concurrentRequests: z.int().positive().optional(),
    })
    .prefault({}),
  deadlines: z
    .strictObject({
      connect: durationSchema.default(5_000),
      firstByte: durationSchema.default(180_000),
      idle: durationSchema.default(120_000),
      total: durationSchema.default(1_800_000),
      headers: durationSchema.default(15_000),
      request: durationSchema.default(60_000),
      keepAlive: durationSchema.default(30_000),
      drain: durationSchema.default(60_000),
      shutdown: durationSchema.default(30_000),
    })
    .prefault({}),
});

/** The file as written. Unknown fields are errors: a misspelt setting must not be ignored silently. */
export const configSchema = z.strictObject({
  server: serverSchema.prefault({}),
  upstreams: z.record(name, upstreamSchema).default({}),
  routes: z.array(routeSchema).optional(),
  fold: z.strictObject(foldShape).default({}),
  /** The documented place of the block; it means the same as inside `fold:`. */
  compact: compactSchema.optional(),
  models: z.record(name, modelSchema).default({}),
  chat: z.strictObject(settingValuesSchema.shape).default({}),
});

export type ConfigInput = z.infer<typeof configSchema>;
export type UpstreamInput = z.infer<typeof upstreamSchema>;
export type RouteInput = z.infer<typeof routeSchema>;
