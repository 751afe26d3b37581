import { useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { MoonIcon, SunIcon } from "../ui/icons.tsx";
import { applyTheme, isDark } from "./theme.ts";

export function ThemeToggle() {
  const [dark, setDark] = useState(isDark);
  return (
    <IconButton
      label={dark ? "Light theme" : "Dark theme"}
      onClick={() => {
        applyTheme(dark ? "light" : "dark");
        setDark(!dark);
      }}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </IconButton>
  );
}
