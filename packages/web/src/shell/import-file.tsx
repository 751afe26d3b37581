import type { ReactNode, RefObject } from "react";

interface TakesFile {
  readonly onFile: (file: File) => void;
}

/** Imports a transcript that is dropped anywhere inside. */
export function DropZone({
  onFile,
  className,
  children,
}: TakesFile & { readonly className: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is one way; a button is another.
    <div
      className={className}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const file = event.dataTransfer.files[0];
        if (file !== undefined) onFile(file);
      }}
    >
      {children}
    </div>
  );
}

/** The hidden file input of an import button: `picker.current?.click()` opens it. */
export function TranscriptPicker({
  onFile,
  picker,
  label,
}: TakesFile & { readonly picker: RefObject<HTMLInputElement | null>; readonly label: string }) {
  return (
    <input
      ref={picker}
      type="file"
      aria-label={label}
      className="hidden"
      accept=".json,.jsonl,.md,.txt"
      onChange={(event) => {
        const file = event.target.files?.[0];
        if (file !== undefined) onFile(file);
        event.target.value = "";
      }}
    />
  );
}
