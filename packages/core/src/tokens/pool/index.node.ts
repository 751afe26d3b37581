export { type TokenTables, tokenTables, useTokenTables } from "./share-tables.ts";
export type { CountedText, CountRule, TextCounts } from "./text-counts.ts";
export { TokenPool, type TokenPoolOptions } from "./token-pool.node.ts";
