import type { UserPart } from "../api/types.gen.ts";

const largest = 8 * 1024 * 1024;
/** The formats that models with vision accept. */
const pictures = /^image\/(?:png|jpeg|gif|webp)$/;

/** A file that is sent with a message. */
export interface Attachment {
  readonly name: string;
  readonly part: UserPart;
}

/**
 * A file as part of a message: pictures as pictures, documents as their text. Throws when a model could not read it.
 */
export async function attach(file: File): Promise<Attachment> {
  const { name } = file;
  if (file.size > largest) throw new Error(`${name} is larger than 8 MB.`);
  if (pictures.test(file.type)) {
    return { name, part: { type: "image", mediaType: file.type, data: await toBase64(file) } };
  }
  const text = await textOf(file);
  if (text.trim() === "")
    throw new Error(`${name} holds no text that could be read. A scan needs text recognition first.`);
  return { name, part: { type: "file", name, mediaType: file.type || "text/plain", text, bytes: file.size } };
}

async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const starts = (mark: string) => [...mark].every((letter, at) => bytes[at] === letter.charCodeAt(0));
  try {
    if (starts("%PDF-")) return (await import("./read-pdf.ts")).readPdf(bytes);
    if (starts("PK")) {
      const text = (await import("./read-office.ts")).readOffice(bytes);
      if (text !== undefined) return text;
    }
  } catch {
    throw new Error(`${file.name} is damaged or protected: its text could not be read.`);
  }
  const text = decode(bytes);
  if (text !== undefined) return text;
  throw new Error(
    `${file.name} is no text, PDF, office document or picture (PNG, JPEG, GIF, WebP). A model cannot read it.`,
  );
}

/** Undefined for bytes that are not text. */
function decode(bytes: Uint8Array): string | undefined {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.readAsDataURL(file);
  });
}
