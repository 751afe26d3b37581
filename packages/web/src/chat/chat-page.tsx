import { PageHeader } from "../shell/page-header.tsx";

export function ChatPage() {
  return <PageHeader title="ChatPage" />;
}
