import Handlebars from "handlebars";
import { MidfoldError } from "../errors/midfold-error.ts";

export interface RenderHandlebarsOptions {
  /** Templates that `{{> name }}` may include, by name. */
  readonly partials?: Readonly<Record<string, string>>;
}

/**
 * Renders a Handlebars template as plain text: nothing is escaped, and a template can reach only the values it is given,
 * never their prototypes. A template that does not compile or does not end is a VALIDATION_ERROR.
 */
export function renderHandlebars(
  template: string,
  values: Readonly<Record<string, unknown>>,
  options: RenderHandlebarsOptions = {},
): string {
  const engine = Handlebars.create();
  for (const [name, partial] of Object.entries(options.partials ?? {})) {
    engine.registerPartial(name, engine.compile(partial, { noEscape: true }));
  }
  try {
    return engine.compile(template, { noEscape: true })(values, {
      allowProtoMethodsByDefault: false,
      allowProtoPropertiesByDefault: false,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new MidfoldError("VALIDATION_ERROR", `The prompt template does not render: ${reason}`, { cause });
  }
}
