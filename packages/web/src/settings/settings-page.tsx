import { PageHeader } from "../shell/page-header.tsx";

export function SettingsPage() {
  return <PageHeader title="Settings" />;
}
