import { type ReactNode, useEffect } from "react";

interface PageHeaderProps {
  readonly title: string;
  /** Shown on the right: buttons, a meter. */
  readonly children?: ReactNode;
}

/** The bar on top of every page, and the title of its tab; leaves room for the navigation button on small screens. */
export function PageHeader({ title, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = title === "" ? "Midfold" : `${title} · Midfold`;
  }, [title]);
  return (
    <header className="flex min-h-13 items-center gap-2 border-b border-line bg-page py-1.5 pr-2 pl-13 lg:px-5">
      <h1 dir="auto" className="min-w-0 flex-1 truncate text-[15px] font-semibold">
        {title}
      </h1>
      {children}
    </header>
  );
}
