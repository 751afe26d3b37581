// The second process of `npm run race`: takes part in every round it is told of.
import { openStore } from "../src/index.ts";
import { raceCallers } from "./race-callers.ts";

interface Order {
  readonly round: number;
  readonly sessionId: string;
  readonly callers: number;
}

const [url = "", owner = ""] = process.argv.slice(2);
const store = await openStore({ url, maxConnections: 8 });
process.on("message", async ({ round, sessionId, callers }: Order) => {
  process.send?.({ round, report: await raceCallers(store.of(owner), sessionId, { callers, name: "b" }) });
});
process.on("disconnect", () => void store.close());
process.send?.({ ready: true });
