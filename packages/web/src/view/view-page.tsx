import { PageHeader } from "../shell/page-header.tsx";

export function ViewPage() {
  return <PageHeader title="ViewPage" />;
}
