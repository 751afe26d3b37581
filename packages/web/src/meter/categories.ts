import type { Usage } from "../api/types.gen.ts";

export type Category = Usage["categories"][number]["category"];

export const categoryColours: Readonly<Record<Category, string>> = {
  system: "var(--cat-system)",
  tools: "var(--cat-tools)",
  summary: "var(--cat-summary)",
  recalled: "var(--cat-recalled)",
  recent: "var(--cat-recent)",
  draft: "var(--cat-draft)",
  reserved: "var(--cat-reserved)",
  free: "var(--surface)",
};

export const categoryNames: Readonly<Record<Category, string>> = {
  system: "System prompt",
  tools: "Tools",
  summary: "Summary",
  recalled: "Excerpts of old messages",
  recent: "Messages, word for word",
  draft: "What you are writing",
  reserved: "Kept for the reply",
  free: "Free",
};

/** What the next request consists of, without the room kept free. */
export const usedCategories = ({ categories }: Usage) =>
  categories.filter(({ category, tokens }) => category !== "free" && category !== "reserved" && tokens > 0);
