import { useState } from "react";
import { plural } from "../ui/format.ts";

const shortChars = 700;

/** A captured message as it was sent: its role and its readable content. */
export function WireMessage({ message, mark }: { readonly message: unknown; readonly mark?: string | undefined }) {
  const [whole, setWhole] = useState(false);
  const text = readable(message);
  const role = roleOf(message);
  return (
    <div className="min-w-0">
      <p className="text-xs font-medium text-ink-soft">
        {role}
        {mark === undefined ? "" : ` · ${mark}`}
      </p>
      <pre className="font-sans text-sm break-words whitespace-pre-wrap">
        {whole || text.length <= shortChars ? text : `${text.slice(0, shortChars)}…`}
      </pre>
      {text.length > shortChars && (
        <button
          type="button"
          className="text-sm text-accent underline underline-offset-2"
          onClick={() => setWhole(!whole)}
        >
          {whole ? "Show less" : `Show all ${plural(text.length, "character")}`}
        </button>
      )}
    </div>
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function roleOf(message: unknown): string {
  if (!isRecord(message)) return "message";
  return String(message.role ?? message.type ?? "message");
}

/** Texts as they are; what has no text, such as a tool call, as JSON. */
export function readable(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(readable).join("\n");
  if (!isRecord(value)) return JSON.stringify(value) ?? "";
  if (typeof value.text === "string") return value.text;
  const { role: _, content, ...rest } = value;
  const more = Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, undefined, 2);
  if (content === undefined || content === null) return more;
  return more === "" || typeof content === "string" ? readable(content) : `${more}\n${readable(content)}`;
}
