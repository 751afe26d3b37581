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
 * A single dollar is money; `write-math.ts` rewrites formulas to two. Rendered as MathML, which browsers draw
 * themselves: the other output needs inline styles, which the page's policy forbids, and a megabyte of fonts.
 */
export const mathPlugins: MathPlugins = {
  remark: [remarkMath, { singleDollarTextMath: false }],
  rehype: [rehypeKatex, { output: "mathml", throwOnError: false, strict: false, trust: false, maxExpand: 500 }],
};
