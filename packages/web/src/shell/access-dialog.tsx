import { useEffect, useState } from "react";
import { accessKey } from "../api/access-key.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Asks for a key when the server wants one. */
export function AccessDialog() {
  const [open, setOpen] = useState(false);
  const [key, setKey] = useState("");
  useEffect(() => accessKey.onRefused(() => setOpen(true)), []);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="This server asks for a key">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          accessKey.set(key.trim());
          location.reload();
        }}
      >
        <label className="grid gap-1 text-sm">
          Key, as whoever runs the server gave it to you. It stays in this tab.
          <input className="field" type="password" value={key} onChange={(event) => setKey(event.target.value)} />
        </label>
        <Button type="submit" kind="primary" disabled={key.trim() === ""}>
          Continue
        </Button>
      </form>
    </Dialog>
  );
}
