import { useState } from "react";
import { ImageIcon } from "../ui/icons.tsx";

/** Addresses loaded on request in this tab, so that a row that scrolls out and back in shows its picture again. */
const wanted = new Set<string>();

interface RemoteImageProps {
  readonly src: string;
  readonly alt?: string;
}

/** Loading a picture tells its server who reads it, so it is only loaded by a click. */
export function RemoteImage({ src, alt = "" }: RemoteImageProps) {
  const [shown, setShown] = useState(wanted.has(src));
  const [failed, setFailed] = useState(false);
  const host = secureHostOf(src);
  if (host === undefined) return <span className="text-sm text-ink-soft">[image{alt === "" ? "" : `: ${alt}`}]</span>;
  if (shown && !failed) {
    return (
      <img
        src={src}
        alt={alt === "" ? `From ${host}` : alt}
        referrerPolicy="no-referrer"
        className="max-h-80 max-w-full rounded-lg border border-line"
        onError={() => setFailed(true)}
      />
    );
  }
  return (
    <button
      type="button"
      className="inline-flex max-w-full items-center gap-2 rounded-lg border border-line-strong px-2.5 py-1 text-left text-sm hover:bg-sunken"
      onClick={(event) => {
        // The button may be inside a link.
        event.preventDefault();
        wanted.add(src);
        setShown(true);
        setFailed(false);
      }}
    >
      <ImageIcon size={16} />
      <span className="min-w-0 wrap-anywhere">
        {failed ? `${host} did not give the image. Try again` : `Load image from ${host}`}
        {alt !== "" && <span className="text-ink-soft"> · {alt}</span>}
      </span>
    </button>
  );
}

/** Undefined for anything but an https address. */
function secureHostOf(address: string): string | undefined {
  try {
    const { protocol, host } = new URL(address);
    return protocol === "https:" ? host : undefined;
  } catch {
    return undefined;
  }
}
