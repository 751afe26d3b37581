export const demoModel = "midfold-demo";
export const defaultDemoWindow = 32_768;

/** The demo model's window: `midfold-demo-8k` and the like say it themselves. */
export function demoWindow(model: string, fallback = defaultDemoWindow): number {
  const thousands = /^midfold-demo-(\d{1,4})k$/i.exec(model)?.[1];
  return thousands === undefined ? fallback : Math.max(1, Number(thousands)) * 1024;
}

export const isDemoModel = (model: string): boolean => /^midfold-demo(?:-\d{1,4}k)?$/i.test(model);
