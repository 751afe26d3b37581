import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2023",
    // The page's policy allows no data: fonts or scripts; every asset is a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The second page draws diagrams, in a frame with a policy of its own.
    rollupOptions: { input: ["index.html", "diagram.html"] },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { "/api": process.env.MIDFOLD_URL ?? "http://127.0.0.1:7777" },
  },
});
