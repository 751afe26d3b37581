declare module "undici/lib/dispatcher/agent.js" {
  // biome-ignore lint/style/noDefaultExport: it is how that file exports it.
  export { Agent as default } from "undici";
}
