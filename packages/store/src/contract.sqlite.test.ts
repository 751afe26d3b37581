import { describeStoreContract } from "./testing/describe-store-contract.ts";
import { startSqliteEngine } from "./testing/test-engine.ts";

describeStoreContract("SQLite", startSqliteEngine);
