import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { realTexts } from "../../src/tokens/encoding/real-texts.test-data.ts";
import { dataFolder } from "../recorded-data.ts";

export interface Corpus {
  readonly name: string;
  readonly text: string;
  /** How many times the fastest peer's speed is aimed for. */
  readonly aim: number;
}

const mostUnits = 2_000_000;

/** Ordinary text: prose, code, JSON, and chats in ten languages and many scripts. Empty where the data is absent. */
export function ordinaryCorpora(): Corpus[] {
  if (!existsSync(join(dataFolder, "README.md"))) return [];
  const tools = ["tau2-telecom-gpt41", "tau2-retail-gpt41", "tau-bench-airline-gpt4o"];
  return [
    { name: "English prose", text: messages(["qmsum-test"]), aim: 6 },
    { name: "code", text: messages(["openhands", "pi-mono"], "tool"), aim: 6 },
    { name: "JSON", text: messages(tools, "tool"), aim: 4 },
    { name: "agent chats (en)", text: messages(tools), aim: 4 },
    { name: "chat crosswoz (zh)", text: messages(["crosswoz-zh"]), aim: 4 },
    ...readdirSync(join(dataFolder, "multilingual"))
      .sort()
      .map((language) => ({ name: `chat ${language}`, text: multilingual(language), aim: 4 })),
    { name: "chat, 20 languages", text: mixed(), aim: 4 },
  ];
}

function messages(files: readonly string[], role?: string): string {
  let text = "";
  for (const file of files) {
    const lines = gunzipSync(readFileSync(join(dataFolder, `${file}.jsonl.gz`))).toString("utf8");
    for (const line of lines.split("\n")) {
      if (line === "" || text.length > mostUnits) continue;
      const row = JSON.parse(line) as { messages: { role: string; content: unknown }[] };
      for (const message of row.messages) {
        if (role !== undefined && message.role !== role) continue;
        text += typeof message.content === "string" ? `${message.content}\n` : "";
      }
    }
  }
  return text.slice(0, mostUnits);
}

function multilingual(language: string): string {
  const folder = join(dataFolder, "multilingual", language);
  let text = "";
  const collect = (value: unknown) => {
    if (typeof value === "string") text += `${value}\n`;
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) collect(inner);
  };
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) if (line !== "") collect(JSON.parse(line));
  }
  return text;
}

/** Sentences of the test texts in a repeatable disorder, so that neighbours differ each time. */
function mixed(): string {
  const sentences = Object.values(realTexts).slice(0, 21);
  let text = "";
  for (let at = 0, state = 1; text.length < 200_000; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += `${at} ${sentences[(state >>> 16) % sentences.length]}\n`;
  }
  return text;
}
