import { MidfoldError } from "@midfold/core";
import { z } from "zod";

/** What operations without a query or a body take. */
const nothing = z.object({});

/** Throws where an object has a field that its schema does not name: left out, it would do something else than was asked. */
export function refuseUnknown(schema: z.core.$ZodType | undefined, value: unknown, path: string): void {
  const { def } = (schema ?? nothing)._zod as { def: Inner };
  if (typeof value !== "object" || value === null) return;
  if (def.innerType !== undefined) refuseUnknown(def.innerType, value, path);
  if (def.element !== undefined && Array.isArray(value)) {
    for (const [index, inner] of value.entries()) refuseUnknown(def.element, inner, `${path}.${index}`);
  }
  const { discriminator, options } = def;
  if (discriminator !== undefined && options !== undefined) {
    const kind = (value as Readonly<Record<string, unknown>>)[discriminator];
    const kindsOf = ({ _zod }: z.core.$ZodType) => [...(_zod.propValues?.[discriminator] ?? [])];
    const option = options.find((one) => kindsOf(one).some((known) => known === kind));
    // Refused at the first: a check of all of 100,000 wrong parts held the event loop for a second and a half.
    if (option === undefined) {
      const kinds = options.flatMap(kindsOf).join(", ");
      throw new MidfoldError("VALIDATION_ERROR", `${path}.${discriminator}: must be one of ${kinds}.`);
    }
    refuseUnknown(option, value, path);
  }
  if (def.shape === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
    if (known === undefined) {
      const names = Object.keys(def.shape).join(", ");
      throw new MidfoldError(
        "VALIDATION_ERROR",
        `${path}.${name}: there is no such field${names === "" ? "" : `; there are ${names}`}.`,
      );
    }
    refuseUnknown(known, inner, `${path}.${name}`);
  }
}

/** A schema's parts, as far as requests have them: optional and default, lists, choices by a field, objects. */
interface Inner {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly discriminator?: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}
