import { common, createLowlight } from "lowlight";
import { Fragment, type ReactNode } from "react";

const lowlight = createLowlight(common);

type Tree = ReturnType<typeof lowlight.highlight>["children"];

/** Highlighted code; plain when the language is unknown. */
export function highlight(text: string, language: string): ReactNode {
  if (!lowlight.registered(language)) return text;
  return toNodes(lowlight.highlight(language, text).children);
}

function toNodes(children: Tree): ReactNode {
  return children.map((node, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the nodes of one text never move.
    if (node.type === "text") return <Fragment key={index}>{node.value}</Fragment>;
    if (node.type !== "element") return null;
    const { className } = node.properties;
    return (
      <span key={index} className={Array.isArray(className) ? className.join(" ") : ""}>
        {toNodes(node.children as Tree)}
      </span>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the nodes of one text never move.
  });
}
