import { describeStoreContract } from "./testing/describe-store-contract.ts";
import { startPostgresEngine } from "./testing/test-engine.ts";

describeStoreContract("PostgreSQL", startPostgresEngine);
