import type { KeyboardEvent } from "react";

interface SearchFieldProps {
  /** `page-search` gets the focus by the key "/". */
  readonly id?: string;
  /** What is searched; also the placeholder, unless `placeholder` is given. */
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onSearch: (words: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Width and height. */
  readonly className?: string;
}

export function SearchField({ id, label, placeholder, value, onSearch, onKeyDown, className = "" }: SearchFieldProps) {
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={placeholder ?? label}
      className={`field text-sm ${className}`}
      value={value}
      onChange={(event) => onSearch(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
