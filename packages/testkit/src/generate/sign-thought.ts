import { createHmac } from "node:crypto";

/** The signature the simulated provider puts on its own reasoning; generated conversations carry it too. */
export function signThought(text: string): string {
  return createHmac("sha256", "midfold-testkit").update(text).digest("base64");
}

/** Opaque reasoning that the simulated provider recognises as its own. */
export function sealThought(body: string): string {
  return `${Buffer.from(body).toString("base64")}.${signThought(body)}`;
}

export function isSealedThought(data: string): boolean {
  const [body, signature] = data.split(".");
  if (body === undefined || signature === undefined) return false;
  return signThought(Buffer.from(body, "base64").toString()) === signature;
}
