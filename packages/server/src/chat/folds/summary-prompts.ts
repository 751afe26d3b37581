import { templates } from "@midfold/core/summaries";
import { type PromptInfo, summaryTemplates } from "../../api/settings.ts";

/** What the settings page shows beside the prompt: the built-in texts, and the placeholders. */
export const promptInfo: PromptInfo = {
  templates: summaryTemplates.map((name) => ({ name, text: templates[name] })),
  variables: [
    {
      name: "{conversation_history}",
      meaning: "The messages to summarize, as a transcript. Added at the end if left out.",
    },
    { name: "{rules}", meaning: "The rules that keep a summary honest, with the previous summary and the focus." },
    { name: "{previous_summary}", meaning: "The summary that this one carries on; empty the first time." },
    { name: "{instructions}", meaning: "What the user asked the summary to focus on." },
    { name: "{max_tokens}", meaning: "The longest summary wanted." },
    { name: "{language}", meaning: "The language of the conversation, in English." },
  ],
};
