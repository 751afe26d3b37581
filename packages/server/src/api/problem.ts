import { z } from "zod";

/** RFC 9457 problem details, sent as `application/problem+json`. `code` is a code of `docs/errors.md`. */
export const problemSchema = z
  .object({
    type: z.string().describe("A URI reference that names the kind of problem."),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("What was wrong here and what to do."),
    instance: z.string().optional(),
    code: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.unknown()).optional(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("One entry per field that failed validation."),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof problemSchema>;
