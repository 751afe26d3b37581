/** Log lines for a person at a terminal: time, level, words, then the facts that are not empty. */
export function terminalLines(write: (text: string) => void): { write(line: string): void } {
  return {
    write: (line) => {
      try {
        const { level, time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
        const clock = typeof time === "string" ? time.slice(11, 19) : "";
        const rest = Object.entries(facts)
          .filter(([, value]) => value !== undefined && value !== null && value !== "")
          .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
          .join(" ");
        write(`${clock} ${String(level).padEnd(5)} ${String(msg ?? "")}  ${rest}\n`);
      } catch {
        write(line);
      }
    },
  };
}
