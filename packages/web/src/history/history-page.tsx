import { PageHeader } from "../shell/page-header.tsx";

export function HistoryPage() {
  return <PageHeader title="HistoryPage" />;
}
