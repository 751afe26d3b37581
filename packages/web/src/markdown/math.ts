import type { ComponentProps } from "react";
import type ReactMarkdown from "react-markdown";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";

type Plugins = ComponentProps<typeof ReactMarkdown>;

export interface MathPlugins {
  readonly remark: NonNullable<Plugins["remarkPlugins"]>[number];
  readonly rehype: NonNullable<Plugins["rehypePlugins"]>[number];
}

/**
 * One dollar is money; `write-math.ts` writes what is meant as a formula with two. MathML, which browsers draw themselves:
 * the other output needs styles inside the text, which the page's policy forbids, and a megabyte of fonts.
 */
export const mathPlugins: MathPlugins = {
  remark: [remarkMath, { singleDollarTextMath: false }],
  rehype: [rehypeKatex, { output: "mathml", throwOnError: false, strict: false, trust: false, maxExpand: 500 }],
};
