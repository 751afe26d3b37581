import { useState } from "react";
import type { PlaygroundRunResult } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatTokens, plural } from "../ui/format.ts";

type ResultMessage = PlaygroundRunResult["messages"][number];

const words: Readonly<Record<ResultMessage["origin"], string>> = {
  kept: "as it was",
  changed: "changed",
  inserted: "written by the fold",
};
const looks: Readonly<Record<ResultMessage["origin"], string>> = {
  kept: "border-line",
  changed: "border-[var(--cat-draft)]",
  inserted: "border-fold-line bg-fold",
};
const page = 40;
const shortChars = 400;

export function ResultMessages({ messages }: { readonly messages: readonly ResultMessage[] }) {
  const [count, setCount] = useState(page);
  return (
    <div className="space-y-2">
      <ol
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label="Resulting messages"
        className="max-h-128 space-y-1.5 overflow-y-auto"
      >
        {messages.slice(0, count).map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a result never move.
          <li key={index} className={`rounded-lg border-l-4 py-1 pl-3 text-sm ${looks[message.origin]}`}>
            <p className="text-xs text-ink-soft">
              <span className="font-medium">{message.role}</span> · {words[message.origin]}
              {message.index === null ? "" : ` · ${message.index + 1}`} · {formatTokens(message.tokens)} tokens
            </p>
            <MessageText message={message} />
          </li>
        ))}
      </ol>
      {messages.length > count && (
        <Button onClick={() => setCount(count + 200)}>
          Show {plural(Math.min(200, messages.length - count), "more", "more")}
        </Button>
      )}
    </div>
  );
}

function MessageText({ message }: { readonly message: ResultMessage }) {
  const [whole, setWhole] = useState(message.origin === "inserted");
  const text = message.text === "" ? JSON.stringify(message.parts) : message.text;
  const long = text.length > shortChars;
  return (
    <>
      <p className="break-words whitespace-pre-wrap">{whole || !long ? text : `${text.slice(0, shortChars)}…`}</p>
      {long && (
        <button type="button" className="text-accent underline underline-offset-2" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}
