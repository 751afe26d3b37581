export function Spinner({ label = "Loading" }: { readonly label?: string }) {
  return (
    <output className="inline-flex items-center gap-2 text-sm text-ink-soft">
      <span
        aria-hidden="true"
        className="size-4 animate-spin rounded-full border-2 border-line-strong border-t-transparent"
      />
      {label}
    </output>
  );
}
