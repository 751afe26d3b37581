import { useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <IconButton small label={copied ? "Copied" : label} onClick={copy}>
      {copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
    </IconButton>
  );
}

/** A copy button with a label, where copying is the main action. */
export function CopyTextButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <Button onClick={copy}>
      {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}

/** Whether the text was just copied, and what copies it. */
function useCopy(text: string): readonly [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void navigator.clipboard?.writeText(text).then(() => setCopied(true))];
}
