import { Argument, type Command } from "commander";
import type { CommandContext } from "../context.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

interface Words {
  readonly name: string;
  readonly about: string;
  /** Options, verbs below it, and the values its first argument may have. */
  readonly next: readonly string[];
}

export function define(command: Command, context: CommandContext): void {
  command
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      '\nbash: eval "$(midfold completion bash)"   zsh: source <(midfold completion zsh)   fish: midfold completion fish | source',
    )
    .action(async (shell: Shell) => {
      const program = await context.wholeProgram();
      context.write(scripts[shell](program.commands.map(wordsOf)));
    });
}

function wordsOf(command: Command): Words {
  const options = command.options.flatMap(({ long }) => (long == null ? [] : [long]));
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const verbs = command.commands.map((verb) => verb.name());
  return { name: command.name(), about: command.description(), next: [...verbs, ...choices, ...options, "--help"] };
}

const scripts: Readonly<Record<Shell, (commands: readonly Words[]) => string>> = {
  bash: (commands) => `_midfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" next=""
  if [ "$COMP_CWORD" -eq 1 ]; then next="${commands.map(({ name }) => name).join(" ")} --help --version"
  else case "\${COMP_WORDS[1]}" in
${commands.map(({ name, next }) => `    ${name}) next="${next.join(" ")}" ;;`).join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$next" -- "$word"))
}
complete -o default -F _midfold midfold
`,
  zsh: (commands) => `#compdef midfold
_midfold() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, about }) => quote(`${name}:${about.replaceAll(":", "\\:")}`)).join(" ")})
    _describe command commands
  else case "$words[2]" in
${commands.map(({ name, next }) => `    ${name}) compadd -- ${next.join(" ")} ;;`).join("\n")}
  esac; _files; fi
}
compdef _midfold midfold
`,
  fish: (commands) =>
    commands
      .flatMap(({ name, about, next }) => [
        `complete -c midfold -n __fish_use_subcommand -a ${name} -d ${quote(about)}`,
        `complete -c midfold -n '__fish_seen_subcommand_from ${name}' -a ${quote(next.join(" "))}`,
      ])
      .join("\n")
      .concat("\n"),
};

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
