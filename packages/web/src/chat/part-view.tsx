import { useState } from "react";
import type { Part } from "../api/types.gen.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { RemoteImage } from "../markdown/remote-image.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { formatCount } from "../ui/format.ts";
import { ClipIcon, ToolIcon, WarnIcon } from "../ui/icons.tsx";

interface PartViewProps {
  readonly part: Part;
  /** Shown as typed, without Markdown: for what the user wrote. */
  readonly plain?: boolean;
  /**
   * Shows only the beginning of a long text, with a button for the rest: a pasted file would fill a hundred screens.
   */
  readonly short?: boolean;
}

export function PartView({ part, plain = false, short = false }: PartViewProps) {
  switch (part.type) {
    case "text":
      if (part.text === "") return null;
      return plain ? <PlainText text={part.text} short={short} /> : <Markdown text={part.text} />;
    case "image":
      return <ImagePart image={part} />;
    case "file":
      return (
        <Disclosure
          summary={
            <>
              <ClipIcon size={15} /> {part.name ?? "File"}
              {part.bytes !== undefined && <span className="text-ink-soft">{formatCount(part.bytes)} bytes</span>}
            </>
          }
        >
          <Pre text={part.text ?? "This file is not text."} />
        </Disclosure>
      );
    case "reasoning":
      if (part.text === "") return null;
      return (
        <Disclosure summary={<span className="text-ink-soft">Thinking</span>}>
          <p className="whitespace-pre-wrap text-ink-soft">{part.text}</p>
        </Disclosure>
      );
    case "tool-call":
      return (
        <Disclosure summary={<ToolTitle name={part.name} detail={oneLine(part.input)} />}>
          <Pre text={pretty(part.input)} />
        </Disclosure>
      );
    case "tool-result": {
      const text = part.content.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
      return (
        <Disclosure
          summary={
            <>
              <ToolTitle name={`${part.name ?? "Tool"} result`} detail={oneLine(text)} />
              {part.isError === true && (
                <span className="ml-auto flex items-center gap-1 text-alarm-ink">
                  <WarnIcon size={15} /> error
                </span>
              )}
            </>
          }
        >
          <Pre text={text} />
          {part.content.map((item, index) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never move.
            item.type === "image" ? <ImagePart key={index} image={item} /> : null,
          )}
        </Disclosure>
      );
    }
    default:
      return <p className="text-sm text-ink-soft">[{part.kind}]</p>;
  }
}

const longestShort = 6000;
const shownOfLong = 2000;

function PlainText({ text, short }: { readonly text: string; readonly short: boolean }) {
  const [whole, setWhole] = useState(false);
  const cut = short && !whole && text.length > longestShort;
  return (
    <>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {cut ? `${text.slice(0, shownOfLong)}…` : text}
      </p>
      {cut && (
        <Button kind="quiet" className="justify-self-start" onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </Button>
      )}
    </>
  );
}

function ToolTitle({ name, detail }: { readonly name: string; readonly detail: string }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2">
      <span className="text-ink-soft">
        <ToolIcon size={15} />
      </span>
      <span className="font-medium whitespace-nowrap">{name}</span>
      <span className="truncate font-mono text-xs text-ink-soft">{detail}</span>
    </span>
  );
}

export function Pre({ text }: { readonly text: string }) {
  return (
    <pre tabIndex={0} className="max-h-96 overflow-auto font-mono text-[12.5px] whitespace-pre-wrap wrap-anywhere">
      {text}
    </pre>
  );
}

const oneLine = (text: string): string => text.slice(0, 160).replaceAll(/\s+/g, " ");

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

type ImageContent = Omit<Extract<Part, { readonly type: "image" }>, "type">;

const shown = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A picture that was sent with the message is shown; one at another address is only loaded by a click. */
function ImagePart({ image }: { readonly image: ImageContent }) {
  const mediaType = image.mediaType ?? "image/png";
  if (image.data !== undefined && image.data !== "" && shown.test(mediaType)) {
    return (
      <img
        src={`data:${mediaType};base64,${image.data}`}
        alt="Attached"
        className="max-h-80 max-w-full rounded-lg border border-line"
      />
    );
  }
  return <RemoteImage src={image.url ?? ""} />;
}
