export interface DataUrl {
  readonly mediaType: string;
  /** Base64, without the prefix. */
  readonly data: string;
}

const longestHeader = 256;

/** Takes a base64 data URL apart; any other string gives undefined. Never copies the payload. */
export function fromDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  if (comma < 0 || comma > longestHeader) return undefined;
  const header = url.slice(5, comma);
  if (!header.endsWith(";base64")) return undefined;
  const semicolon = header.indexOf(";");
  return { mediaType: header.slice(0, semicolon), data: url.slice(comma + 1) };
}

export function toDataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
