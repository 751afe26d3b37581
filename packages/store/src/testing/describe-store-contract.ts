import { afterAll, beforeAll, describe } from "vitest";
import { openStore } from "../index.ts";
import { describeContextContract } from "./describe-context-contract.ts";
import { describeCoordinationContract } from "./describe-coordination-contract.ts";
import { describeGatewayContract } from "./describe-gateway-contract.ts";
import { describeIsolationContract } from "./describe-isolation-contract.ts";
import { describeMessagesContract } from "./describe-messages-contract.ts";
import { describeSearchContract } from "./describe-search-contract.ts";
import { describeSessionsContract } from "./describe-sessions-contract.ts";
import { describeSettingsContract } from "./describe-settings-contract.ts";
import { describeSnapshotsContract } from "./describe-snapshots-contract.ts";
import { describeTextContract } from "./describe-text-contract.ts";
import { describeUpkeepContract } from "./describe-upkeep-contract.ts";
import type { Fixture, TestEngine } from "./test-engine.ts";

/** One contract for every database: whatever holds on one must hold on the others. */
export function describeStoreContract(name: string, start: () => Promise<TestEngine>): void {
  describe(`the store on ${name}`, () => {
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
}
