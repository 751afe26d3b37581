import { Link } from "@tanstack/react-router";
import { ChatIcon } from "../ui/icons.tsx";

export function BackToConversation({ sessionId }: { readonly sessionId: string }) {
  return (
    <Link
      to="/s/$sessionId"
      params={{ sessionId }}
      aria-label="Back to the conversation"
      className="inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2.5 text-sm font-medium hover:bg-sunken"
    >
      <ChatIcon /> <span className="hidden sm:inline">Conversation</span>
    </Link>
  );
}
