import { toStorableText } from "../text/storable.ts";
import type { SettingScope } from "./settings.ts";

/** A scope as one text, and back. Parts are encoded, so that no provider or model name can look like another scope. */
export function scopeName(scope: SettingScope): string {
  switch (scope.kind) {
    case "global":
      return "global";
    case "provider":
      return `provider/${encoded(scope.provider)}`;
    case "model":
      return `model/${encoded(scope.provider)}/${encoded(scope.model)}`;
    case "session":
      return `session/${encoded(scope.sessionId)}`;
  }
}

const encoded = (name: string) => encodeURIComponent(toStorableText(name));

export function parseScopeName(name: string): SettingScope {
  const [kind, first = "", second = ""] = name.split("/").map(decodeURIComponent);
  switch (kind) {
    case "provider":
      return { kind, provider: first };
    case "model":
      return { kind, provider: first, model: second };
    case "session":
      return { kind, sessionId: first };
    default:
      return { kind: "global" };
  }
}
