import { PageHeader } from "../shell/page-header.tsx";

export function PlaygroundPage() {
  return <PageHeader title="Playground" />;
}
