import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { MidfoldError } from "@midfold/core";
import { loadConfig, providerKinds, type ServerConfig, type UpstreamConfig } from "@midfold/server";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import type { CommandContext } from "../context.ts";
import { checkUpstream } from "../input/check-upstream.ts";
import { keyFileName } from "../input/read-config.ts";

type Provider = UpstreamConfig["provider"];

interface InitFlags {
  readonly provider?: Provider;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly model?: string;
  readonly check: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

interface Answers {
  readonly provider: Provider;
  readonly baseUrl?: string | undefined;
  /** The variable that holds the key. */
  readonly keyEnv?: string | undefined;
  /** A key that was typed in and is not in a variable yet. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
}

const fileName = "midfold.yaml";

export function define(command: Command, context: CommandContext): void {
  command
    .addOption(new Option("--provider <name>", "whose models to use").choices(providerKinds))
    .option("--base-url <address>", "where it answers, if not at its usual address")
    .option("--key-env <name>", "the environment variable its key is in")
    .option("--model <name>", "the model to send every request to, whatever the client asks for")
    .option("--no-check", "do not ask the provider whether address and key are right")
    .option("--force", `overwrite ${fileName}`)
    .option("--json", "print what was written as JSON")
    .action(async (flags: InitFlags) => {
      const path = join(context.cwd, fileName);
      if (existsSync(path) && flags.force !== true) {
        throw new MidfoldError("VALIDATION_ERROR", `${path} is there already. Edit it, or overwrite it with --force.`);
      }
      const { checked, answers } =
        flags.provider === undefined ? await askUntilItWorks(context, flags) : await takeFlags(context, flags);
      const files = write(context, answers);
      if (flags.json === true) context.write(`${JSON.stringify({ files, checked: checked ?? null })}\n`);
      else {
        if (checked !== undefined) context.warn(`${answers.provider}: ${checked}\n`);
        context.warn(`Written: ${files.join(", ")}. Next: midfold wrap claude, or midfold serve\n`);
      }
    });
}

interface Chosen {
  readonly answers: Answers;
  /** What the provider answered; undefined when it was not asked. */
  readonly checked: string | undefined;
}

async function takeFlags(context: CommandContext, flags: InitFlags): Promise<Chosen> {
  const { provider = "generic", baseUrl, keyEnv, model, check } = flags;
  const answers = { provider, baseUrl, keyEnv: keyEnv ?? usualVariable(context, provider), model };
  return { answers, checked: check ? await test(context, answers) : undefined };
}

/** Without an option, the usual variable that is already set. */
function usualVariable({ env }: CommandContext, provider: Provider): string | undefined {
  const name = `${provider.toUpperCase()}_API_KEY`;
  return env[name] === undefined || env[name] === "" ? undefined : name;
}

/** Asks a person; when the provider refuses, the questions are asked again. */
async function askUntilItWorks(context: CommandContext, flags: InitFlags): Promise<Chosen> {
  if (!context.canAsk) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      "This is not a terminal, so no questions can be asked. Give --provider, and --base-url, --key-env or --model where needed.",
    );
  }
  const { confirm, intro, isCancel, log, outro } = await import("@clack/prompts");
  intro("Midfold: which models should it use?");
  for (;;) {
    const answers = await ask(context, flags);
    try {
      const checked = flags.check ? await test(context, answers) : undefined;
      outro(checked ?? "Not tested.");
      return { answers, checked };
    } catch (error) {
      log.error((error as Error).message);
      const again = await confirm({ message: "Try again? (No writes the file as it is.)" });
      if (isCancel(again)) throw new MidfoldError("ABORTED", "Nothing was written.");
      if (!again) return { answers, checked: undefined };
    }
  }
}

async function ask(context: CommandContext, flags: InitFlags): Promise<Answers> {
  const { isCancel, password, select, text } = await import("@clack/prompts");
  const answered = <TValue>(value: TValue): Exclude<TValue, symbol> => {
    if (isCancel(value)) throw new MidfoldError("ABORTED", "Nothing was written.");
    return value as Exclude<TValue, symbol>;
  };
  const provider = answered(
    await select<Provider>({
      message: "Provider",
      options: providerKinds.map((value) => ({ value, label: labels[value] ?? value })),
    }),
  );
  if (provider === "demo") return { provider };
  const usual = usualBaseUrl(provider);
  const baseUrl = answered(
    await text({
      message: "Base URL",
      ...(usual === undefined ? {} : { initialValue: usual }),
      validate: (value) => (URL.canParse(value ?? "") ? undefined : "It must be an http:// or https:// address."),
    }),
  );
  const variable = flags.keyEnv ?? `${provider.toUpperCase()}_API_KEY`;
  const known = context.env[variable] !== undefined && context.env[variable] !== "";
  const typed = answered(
    await password({
      message: known ? `Key (leave empty to use the one in ${variable})` : "Key (leave empty if it wants none)",
    }),
  );
  const key = typed === "" || typed === undefined ? undefined : typed;
  const model = answered(await text({ message: "Model for every request (leave empty: what the client asks for)" }));
  return {
    provider,
    ...(baseUrl === usual ? {} : { baseUrl }),
    ...(key !== undefined || known ? { keyEnv: variable } : {}),
    ...(key === undefined ? {} : { key }),
    ...(model === "" || model === undefined ? {} : { model }),
  };
}

const labels: Partial<Record<Provider, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  azure: "Azure OpenAI",
  openrouter: "OpenRouter",
  vllm: "vLLM, on this machine or another",
  ollama: "Ollama",
  lmstudio: "LM Studio",
  gemini: "Google Gemini",
  deepseek: "DeepSeek",
  mistral: "Mistral",
  generic: "another server that speaks OpenAI Chat Completions",
  demo: "none: the built-in demo model",
};

/** Asks the provider for its models. Throws in words when address or key are wrong. */
async function test(context: CommandContext, answers: Answers): Promise<string> {
  const config = configOf(context, answers);
  const upstream = config.upstreams[answers.provider];
  if (upstream === undefined || upstream.provider === "demo") return "the demo model needs no test";
  return (await checkUpstream(config, upstream)).detail;
}

function usualBaseUrl(provider: Provider): string | undefined {
  try {
    const yaml = stringify({ upstreams: { it: { provider } }, routes: [{ model: "*", upstream: "it" }] });
    return loadConfig({ file: fileName, text: yaml }, {}).upstreams.it?.baseUrl;
  } catch {
    // A provider without a usual address.
    return undefined;
  }
}

function configOf(context: CommandContext, answers: Answers): ServerConfig {
  const { key, keyEnv } = answers;
  const typed = key === undefined || keyEnv === undefined ? {} : { [keyEnv]: key };
  return loadConfig({ file: fileName, text: toYaml(answers) }, { ...context.env, ...typed });
}

function toYaml({ provider, baseUrl, keyEnv, model }: Answers): string {
  const upstream = {
    provider,
    ...(baseUrl === undefined ? {} : { baseUrl, ...(isPrivate(baseUrl) ? { privateNetwork: true } : {}) }),
    ...(keyEnv === undefined ? {} : { apiKeyEnv: keyEnv }),
  };
  const route = {
    model: "*",
    upstream: provider,
    ...(model === undefined ? {} : { upstreamModel: model }),
    preset: "agent",
  };
  const rest = provider === "demo" ? { ...route, upstreamModel: model ?? "midfold-demo" } : route;
  return stringify({ upstreams: { [provider]: upstream }, routes: [rest] });
}

/** A host name without a dot belongs to a private network, which has to be allowed in the configuration. */
function isPrivate(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return /^[\w-]+$/.test(hostname) && hostname !== "localhost";
}

/** Writes the configuration, and a typed key into a separate file that only its owner may read. */
function write(context: CommandContext, answers: Answers): string[] {
  const header = "# Written by `midfold init`. All settings: docs/configuration.md. Check it with: midfold doctor\n";
  const path = join(context.cwd, fileName);
  writeFileSync(path, `${header}${toYaml(answers)}`);
  const { key, keyEnv } = answers;
  if (key === undefined || keyEnv === undefined) return [path];
  const keys = join(context.cwd, keyFileName);
  const others = existsSync(keys)
    ? readFileSync(keys, "utf8")
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith(`${keyEnv}=`))
    : [];
  writeFileSync(keys, `${[...others, `${keyEnv}=${JSON.stringify(key)}`].join("\n")}\n`, { mode: 0o600 });
  if (existsSync(join(context.cwd, ".git")) || existsSync(join(context.cwd, ".gitignore"))) {
    context.warn(`${relative(context.cwd, keys)} holds a key: keep it out of the repository (.gitignore).\n`);
  }
  return [path, keys];
}
