import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { NotFound } from "../shell/not-found.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { ConversationPage } from "./conversation-page.tsx";
import { ConversationsPage } from "./conversations-page.tsx";
import { RequestPage } from "./request-page.tsx";
import { RequestsPage } from "./requests-page.tsx";
import { SavingsPage } from "./savings-page.tsx";

const sections = [
  { name: "requests", label: "Requests" },
  { name: "conversations", label: "Conversations" },
  { name: "savings", label: "Savings" },
] as const;

/** What the gateway did. Chooses the page below `/console`. */
export function ConsolePage() {
  const { _splat = "" } = useParams({ strict: false }) as { _splat?: string };
  const [section = "", id = ""] = _splat.split("/");
  const here = section === "" ? "requests" : section;
  return (
    <>
      <PageHeader title="Gateway console" />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-6xl space-y-4 p-3 sm:p-5">
          <nav aria-label="Console" className="flex gap-1 overflow-x-auto">
            {sections.map(({ name, label }) => (
              <Link
                key={name}
                to={name === "requests" ? "/console" : "/console/$"}
                params={name === "requests" ? {} : { _splat: name }}
                aria-current={here === name ? "page" : undefined}
                className={`rounded-lg px-3 py-1.5 text-sm ${here === name ? "bg-accent-soft font-medium" : "text-ink-soft hover:bg-sunken hover:text-ink"}`}
              >
                {label}
              </Link>
            ))}
          </nav>
          {choose(section, id)}
        </div>
      </div>
    </>
  );
}

function choose(section: string, id: string): ReactNode {
  if (section === "") return <RequestsPage />;
  if (section === "requests") return id === "" ? <RequestsPage /> : <RequestPage key={id} id={id} />;
  if (section === "conversations") return id === "" ? <ConversationsPage /> : <ConversationPage key={id} id={id} />;
  if (section === "savings") return <SavingsPage />;
  return <NotFound />;
}
