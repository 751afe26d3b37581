import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Usage } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { DownIcon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";

const tokensOf = ({ categories }: Usage, ...names: readonly string[]): number =>
  categories.reduce((sum, { category, tokens }) => (names.includes(category) ? sum + tokens : sum), 0);

interface TooLongProps {
  readonly usage: Usage;
  readonly onClip: () => void;
  readonly onSummarize: () => void;
  readonly onModel: (model: string) => void;
}

/** Shown before sending: the message does not fit, and what would help. */
export function TooLong({ usage, onClip, onSummarize, onModel }: TooLongProps) {
  const { usable, total, model } = usage;
  if (usable === null) return null;
  const draft = tokensOf(usage, "draft");
  const fixed = tokensOf(usage, "system", "tools");
  if (draft > 0 && draft + fixed > usable) {
    return (
      <Notice
        tone="warn"
        action={
          <>
            <Button onClick={onClip}>Shorten it to fit</Button>
            <LargerModel needed={draft + fixed} onModel={onModel} />
          </>
        }
      >
        This message is about {formatCount(draft)} tokens; {model} takes {formatCount(usable - fixed)} in one request.
      </Notice>
    );
  }
  // If earlier messages make it too long, they are folded on sending, unless that was switched off.
  if (total <= usable || usage.autoCompression) return null;
  return (
    <Notice
      tone="warn"
      action={
        <>
          <Button onClick={onSummarize}>Summarize first</Button>
          <LargerModel needed={total} onModel={onModel} />
        </>
      }
    >
      With what was said before this is about {formatCount(total)} tokens; {model} takes {formatCount(usable)}.
    </Notice>
  );
}

/** Models with a window large enough for a request of this size and a reply. */
export function LargerModel({
  needed,
  onModel,
}: {
  readonly needed: number;
  readonly onModel: (model: string) => void;
}) {
  const { data } = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  const larger = (data?.models ?? [])
    .filter(({ available, window, maxOutput }) => available && window * 0.9 - Math.min(maxOutput, window / 4) > needed)
    .toSorted((a, b) => a.window - b.window)
    .slice(0, 12);
  if (larger.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button>
          Use a larger model <DownIcon size={15} />
        </Button>
      }
    >
      {larger.map(({ id, window }) => (
        <MenuItem key={id} onSelect={() => onModel(id)}>
          <span className="flex-1">{id}</span>
          <span className="text-ink-soft">{formatTokens(window)}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
