/** The command that a call gives to a shell, as it would be typed; empty where it gives none. */
export function commandOf(input: string): string {
  try {
    const { command, cmd = command } = JSON.parse(input.slice(0, 4000)) as Record<string, unknown>;
    return typeof cmd === "string" ? cmd : "";
  } catch {
    // Arguments that are no JSON, or too long to be a command that somebody types.
    return "";
  }
}
