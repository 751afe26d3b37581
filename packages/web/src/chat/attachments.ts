import type { UserPart } from "../api/types.gen.ts";

const largest = 8 * 1024 * 1024;

/** A file as part of a message: pictures as pictures, anything else as its text. */
export async function toPart(file: File): Promise<UserPart> {
  if (file.size > largest) throw new Error(`${file.name} is larger than 8 MB.`);
  if (file.type.startsWith("image/")) return { type: "image", mediaType: file.type, data: await toBase64(file) };
  return {
    type: "file",
    name: file.name,
    mediaType: file.type || "text/plain",
    text: await file.text(),
    bytes: file.size,
  };
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.readAsDataURL(file);
  });
}
