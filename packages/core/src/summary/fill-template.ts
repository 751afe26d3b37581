/**
 * Puts values into `{name}` places, literally: nothing in a value is interpreted, neither `$&` nor another `{name}`.
 * Places without a value stay as they are. Returns the names that were filled.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
): { readonly text: string; readonly filled: ReadonlySet<string> } {
  const filled = new Set<string>();
  const text = template.replace(/\{([a-z_]{1,40})\}/g, (place, name: string) => {
    if (!Object.hasOwn(values, name)) return place;
    filled.add(name);
    return values[name]!;
  });
  return { text, filled };
}
