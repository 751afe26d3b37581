import { providerKinds } from "@midfold/wire";
import { z } from "zod";

const kind = z.enum(providerKinds);
const baseUrl = z.string().max(500);

export const providerSchema = z
  .object({
    name: z
      .string()
      .describe("Models are reached as `name/model`, and by their own names where the kind is usual for them."),
    kind,
    baseUrl: z.string().nullable().describe("Null: the usual address of its kind."),
    hint: z.string().nullable().describe("The last four characters of the key, never more; null when it has none."),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof providerSchema>;

export const providerListSchema = z
  .object({
    providers: z.array(providerSchema),
    kinds: z.array(z.object({ kind, baseUrl: z.string().nullable().describe("Null: it has to be entered.") })),
  })
  .meta({ id: "ProviderList" });
export type ProviderList = z.infer<typeof providerListSchema>;

export const testProviderSchema = z
  .object({
    name: z.string().max(40).optional().describe("A stored provider, whose key is used when none is given."),
    kind,
    baseUrl: baseUrl.nullish(),
    key: z.string().min(1).max(500).nullish(),
  })
  .meta({ id: "TestProvider" });

export const testedProviderSchema = z
  .object({
    models: z.array(
      z.object({
        id: z.string(),
        window: z.int().nullable().describe("As the server runs it, where it says so."),
      }),
    ),
  })
  .meta({ id: "TestedProvider" });

export const putProviderSchema = z
  .object({
    kind,
    baseUrl: baseUrl.nullish(),
    key: z
      .string()
      .min(1)
      .max(500)
      .nullish()
      .describe("Stored encrypted. Absent: the stored one stays. Null: it is forgotten."),
  })
  .meta({ id: "PutProvider" });
export type PutProvider = z.infer<typeof putProviderSchema>;
