import { afterAll, beforeAll, describe } from "vitest";
import { openStore } from "./index.ts";
import { describeContextContract } from "./testing/describe-context-contract.ts";
import { describeCoordinationContract } from "./testing/describe-coordination-contract.ts";
import { describeGatewayContract } from "./testing/describe-gateway-contract.ts";
import { describeIsolationContract } from "./testing/describe-isolation-contract.ts";
import { describeMessagesContract } from "./testing/describe-messages-contract.ts";
import { describeSearchContract } from "./testing/describe-search-contract.ts";
import { describeSessionsContract } from "./testing/describe-sessions-contract.ts";
import { describeSettingsContract } from "./testing/describe-settings-contract.ts";
import { describeSnapshotsContract } from "./testing/describe-snapshots-contract.ts";
import { describeTextContract } from "./testing/describe-text-contract.ts";
import { describeUpkeepContract } from "./testing/describe-upkeep-contract.ts";
import { type Fixture, startPostgresEngine, startSqliteEngine } from "./testing/test-engine.ts";

// One contract, two databases: whatever holds on one must hold on the other.
const engines = [
  ["SQLite", startSqliteEngine],
  ["PostgreSQL", startPostgresEngine],
] as const;

describe.each(engines)("the store on %s", (_name, start) => {
  let fixture: Fixture;

  beforeAll(async () => {
    const engine = await start();
    const url = await engine.createUrl();
    fixture = { engine, url, store: await openStore({ url }) };
  });

  afterAll(async () => {
    await fixture?.store.close();
    await fixture?.engine.stop();
  });

  const current = () => fixture;
  describeSessionsContract(current);
  describeMessagesContract(current);
  describeSnapshotsContract(current);
  describeContextContract(current);
  describeSearchContract(current);
  describeSettingsContract(current);
  describeGatewayContract(current);
  describeCoordinationContract(current);
  describeIsolationContract(current);
  describeTextContract(current);
  describeUpkeepContract(current);
});
