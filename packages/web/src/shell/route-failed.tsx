import { wordsOf } from "../api/api-error.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export function RouteFailed({ error }: { readonly error: unknown }) {
  return (
    <main className="mx-auto max-w-xl p-8">
      <h1 className="mb-3 text-lg font-semibold">This page could not be shown</h1>
      <Notice tone="error" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        {wordsOf(error)}
      </Notice>
    </main>
  );
}
