import { DemoOnly } from "../shell/demo-only.tsx";
import { useNewSession } from "../shell/use-new-session.ts";
import { Button } from "../ui/button.tsx";
import { BookIcon } from "../ui/icons.tsx";

export function EmptyChat() {
  const { loadExample, busy } = useNewSession();
  return (
    <div className="flex flex-1 overflow-y-auto p-6">
      <div className="m-auto max-w-md text-center">
        <h2 className="text-lg font-semibold">Nothing said yet</h2>
        <p className="mt-1 text-ink-soft">
          Write a message below. To see how a long conversation is folded, load the example and send one message.
        </p>
        <Button className="mt-4" disabled={busy} onClick={() => loadExample()}>
          <BookIcon /> Load a long example
        </Button>
        <DemoOnly />
      </div>
    </div>
  );
}
