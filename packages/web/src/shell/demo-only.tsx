import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";

/** Says that only the demo model answers, with a link to the providers. Nothing once there is a provider. */
export function DemoOnly() {
  const { data } = useQuery({ queryKey: keys.models, queryFn: api.listModels });
  if (data === undefined || data.models.some(({ available, demo }) => available && !demo)) return null;
  return (
    <aside
      aria-label="No provider yet"
      className="mx-auto mt-6 flex max-w-md flex-wrap items-center justify-center gap-x-3 gap-y-1 rounded-xl border border-line bg-surface px-4 py-2.5 text-sm"
    >
      <span>Only the built-in demo model is here.</span>
      <Link to="/providers" className="font-medium text-accent underline underline-offset-2">
        Add Ollama, OpenAI or another provider
      </Link>
    </aside>
  );
}
