import { PageHeader } from "../shell/page-header.tsx";

export function ConsolePage() {
  return <PageHeader title="Gateway console" />;
}
