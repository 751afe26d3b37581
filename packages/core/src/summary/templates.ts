export const sectionHeadings = [
  "Context",
  "Key Points",
  "Technical Details",
  "Decisions and Outcomes",
  "Unresolved Questions",
] as const;

const general = `You are a conversation summarization assistant. Your task is to create a concise yet comprehensive summary of the conversation history provided below.

**Guidelines:**
1. Preserve all key facts, decisions, and important context
2. Maintain chronological order of significant events
3. Keep technical details, code examples, and specific implementation decisions
4. Include tool invocations and their results
5. Use concise language to maximize information density
6. Focus on actionable information and outcomes
7. Omit pleasantries, greetings, and off-topic discussions

{rules}

**Conversation History:**
{conversation_history}

**Summary:**
Please provide a summary in the following format:

## Context
[Brief overview of the main topic and purpose of the conversation]

## Key Points
- [Important fact/decision 1]
- [Important fact/decision 2]

## Technical Details
[Code snippets, commands, configurations, or technical specifications discussed]

## Decisions and Outcomes
[Agreements reached, decisions made, next steps identified]

## Unresolved Questions
[Any open questions or pending items]`;

const code = `Summarize the following programming conversation. Focus on:
- Problem being solved
- Code changes made (with brief snippets if critical)
- Technical decisions and rationale
- Bugs identified and fixes applied
- Next steps or TODO items

{rules}

Conversation:
{conversation_history}`;

const technical = `Summarize the following technical conversation for somebody who has to go on with the work. Focus on:
- The system or device in question: its parts, versions, environment and how they are connected
- Settings, limits and measured values, each with its name and unit
- Symptoms and exact error messages, in the order in which they appeared
- What was tried, what each attempt showed, and causes that were ruled out
- Decisions with their reasons, and what is still to be checked

{rules}

Conversation:
{conversation_history}`;

const excerpt = `Summarize this conversation excerpt concisely. Preserve:
- Key facts and decisions made
- Important context needed to continue the discussion
- User preferences or requirements mentioned
- Any commitments or action items

Do not include greetings or filler. Focus on information density.

{rules}

Conversation:
---
{formatted_messages}
---`;

/** For `compact`; also, in Handlebars, the partial that its example names. */
const tagged = `Summarize what the assistant did in the part of a conversation below: what was tried, what was found, which files and values were involved, what was changed and how it ended. Write it as the assistant would report it afterwards, in the first person and past tense, so that the conversation reads on smoothly. User messages stay in the conversation and need not be repeated.

{rules}

{conversation_history}

Put the summary, and nothing else, between <{summary_tag}> and </{summary_tag}>.`;

/**
 * The prompts that the requirement documents ask for, with their sections and guidelines. `summary-prompt.ts` adds the
 * rules that keep any summary honest to all of them.
 */
export const templates = { general, code, technical, excerpt, tagged } as const;
export type TemplateName = keyof typeof templates;

export const builtInPartials: Readonly<Record<string, string>> = {
  "system-prompt-context-summarizer.hbs": tagged.replace(/\{(\w+)\}/g, "{{$1}}"),
};
