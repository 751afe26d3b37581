export type Theme = "system" | "light" | "dark";

const storageName = "midfold.theme";

export function readTheme(): Theme {
  const stored = localStorage.getItem(storageName);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(storageName);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageName, theme);
    document.documentElement.dataset.theme = theme;
  }
}

export const isDark = (): boolean =>
  readTheme() === "dark" || (readTheme() === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
