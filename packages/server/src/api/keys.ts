import { z } from "zod";

export const providerKeySchema = z
  .object({
    provider: z.string(),
    label: z.string(),
    configured: z.boolean(),
    source: z.enum(["config", "memory", "none"]).describe("`memory`: entered here, forgotten when the server stops."),
    hint: z.string().nullable().describe("The last four characters, never more."),
    variable: z.string().describe("The environment variable that sets it for good."),
  })
  .meta({ id: "ProviderKey" });
export type ProviderKey = z.infer<typeof providerKeySchema>;

export const clientKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string(),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
  })
  .meta({ id: "ClientKey" });
export type ClientKey = z.infer<typeof clientKeySchema>;

export const keyListSchema = z
  .object({ providers: z.array(providerKeySchema), clients: z.array(clientKeySchema) })
  .meta({ id: "KeyList" });
export type KeyList = z.infer<typeof keyListSchema>;

export const setProviderKeySchema = z
  .object({ provider: z.string(), key: z.string().min(1).max(500).nullable().describe("Null forgets it.") })
  .meta({ id: "SetProviderKey" });

export const createClientKeySchema = z.object({ name: z.string().min(1).max(100) }).meta({ id: "CreateClientKey" });
export const createdClientKeySchema = clientKeySchema
  .extend({ key: z.string().describe("Shown this once.") })
  .meta({ id: "CreatedClientKey" });
