// Two lists, because of how esbuild splits a bundle: whatever the file of a used export imports counts as needed at once.
// With one list `import { fold }` brought the rank tables (1.4 MB gzipped) into the first chunk; with two, under 50 kB.
export * from "./index-lazy.ts";
export * from "./index-sync.ts";
