import { memo, type ReactNode, useDeferredValue, useState } from "react";
import type { Message, Part } from "../api/types.gen.ts";
import type { LiveReply } from "../conversation/conversation-state.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { Form } from "../ui/form.tsx";
import { formatTime } from "../ui/format.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { EditIcon, RetryIcon, TakeOutIcon } from "../ui/icons.tsx";
import { PartView } from "./part-view.tsx";

export interface MessageActions {
  readonly onRetry?: ((message: Message) => void) | undefined;
  readonly onTakeOut?: ((message: Message) => void) | undefined;
  readonly onEdit?: ((message: Message, text: string) => void) | undefined;
}

interface MessageRowProps extends MessageActions {
  readonly message: Message;
  readonly live?: LiveReply | undefined;
  readonly folded: boolean;
  /** True for a message that was linked to: it is shown with a frame. */
  readonly marked?: boolean;
  /** Always visible, beside the actions that only show on hover. */
  readonly beside?: ReactNode;
}

const speakers = { user: "You", assistant: "Assistant", tool: "Tool", system: "System" } as const;

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, live, folded, marked = false, beside, onRetry, onEdit, onTakeOut } = props;
  const [editing, setEditing] = useState(false);
  const isUser = message.role === "user";
  const parts = useDeferredValue(live === undefined ? message.parts : livePartsOf(live));
  const waiting = message.status === "streaming" && parts.length === 0;
  return (
    <article
      id={`m-${message.id}`}
      aria-label={`${speakers[message.role]}, ${formatTime(message.createdAt)}${folded ? ", summarized" : ""}`}
      aria-busy={message.status === "streaming"}
      className={`group/row py-1 ${folded ? "border-l-2 border-dashed border-fold-line pl-3" : ""} ${marked ? "-mx-3 rounded-xl px-3 outline-2 outline-accent" : ""}`}
    >
      <div className={isUser ? "ml-auto w-fit max-w-[88%]" : ""}>
        {!isUser && (
          <p className="mb-0.5 text-xs font-medium text-ink-soft">
            {speakers[message.role]}
            {message.model !== null && <span className="font-normal"> · {message.model}</span>}
          </p>
        )}
        {editing ? (
          <EditMessage
            text={message.text}
            onCancel={() => setEditing(false)}
            onSend={(text) => {
              setEditing(false);
              onEdit?.(message, text);
            }}
          />
        ) : (
          <div
            className={`grid grid-cols-1 gap-2 ${isUser ? "rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5" : ""}`}
          >
            {waiting && <Waiting />}
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never move.
              <PartView key={index} part={part} plain={isUser} short={isUser} />
            ))}
          </div>
        )}
        {message.recalled !== null && <RecalledExcerpts text={message.recalled} />}
        {(message.status === "interrupted" || message.status === "failed") && (
          <p className="mt-1 text-sm text-warn-ink">
            {message.status === "failed" ? "No reply" : "Cut short"}
            {message.error === null ? "" : `: ${message.error}`}
          </p>
        )}
      </div>
      {!editing && message.status !== "streaming" && (
        <div className={`flex h-8 items-center ${isUser ? "justify-end" : "-ml-2"}`}>
          {beside}
          <div
            className={`flex items-center gap-0.5 opacity-0 transition-opacity group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:opacity-100`}
          >
            <CopyButton text={message.text} label="Copy message" />
            {isUser && onEdit !== undefined && (
              <IconButton small label="Edit in a new branch" onClick={() => setEditing(true)}>
                <EditIcon size={16} />
              </IconButton>
            )}
            {onTakeOut !== undefined && message.inContext && (
              <IconButton small label="Take out of the conversation" onClick={() => onTakeOut(message)}>
                <TakeOutIcon size={16} />
              </IconButton>
            )}
            {onRetry !== undefined && (
              <IconButton small label="Answer again" onClick={() => onRetry(message)}>
                <RetryIcon size={16} />
              </IconButton>
            )}
          </div>
        </div>
      )}
    </article>
  );
});

/** Excerpts of folded messages that the model was sent with the question. */
function RecalledExcerpts({ text }: { readonly text: string }) {
  const excerpts = text.split("\n- ").slice(1).map(toExcerpt);
  const count = excerpts.length;
  return (
    <div className="mt-2 max-w-prose">
      <Disclosure
        summary={
          <span className="text-xs text-ink-soft">
            Sent with your message: {count} {count === 1 ? "excerpt" : "excerpts"} of summarized messages
          </span>
        }
      >
        <ul className="grid gap-1 text-sm break-words">
          {excerpts.map(({ place, speaker, words }) => (
            <li key={place} dir="auto">
              <span className="text-ink-soft">{speaker}: </span>
              {words}
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  );
}

/** Parses `m12 user: the words`, the form in which the model is sent it. */
function toExcerpt(line: string) {
  const [, place = line, role = "", words = line] = /^(m\d+) (\w+): (.*)$/s.exec(line) ?? [];
  return { place, speaker: role in speakers ? speakers[role as keyof typeof speakers] : role, words };
}

function Waiting() {
  return (
    <p className="flex items-center gap-1 py-1" role="img" aria-label="Writing">
      {["", "[animation-delay:150ms]", "[animation-delay:300ms]"].map((delay) => (
        <span key={delay} className={`size-1.5 animate-pulse rounded-full bg-ink-soft ${delay}`} />
      ))}
    </p>
  );
}

function livePartsOf({ text, reasoning, calls }: LiveReply): readonly Part[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.map((call) => ({ type: "tool-call", ...call }) as const),
  ];
}

interface EditMessageProps {
  readonly text: string;
  readonly onCancel: () => void;
  readonly onSend: (text: string) => void;
}

function EditMessage({ text: initial, onCancel, onSend }: EditMessageProps) {
  const [text, setText] = useState(initial);
  return (
    <Form className="grid w-[min(36rem,80vw)] gap-2" onSubmit={() => text.trim() !== "" && onSend(text)}>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here.
        autoFocus
        dir="auto"
        aria-label="Edited message"
        className="field max-h-80 min-h-24"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="text-xs text-ink-soft">The answer goes into a new branch; this conversation stays as it is.</p>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={text.trim() === ""}>
          Send in a new branch
        </Button>
      </div>
    </Form>
  );
}
