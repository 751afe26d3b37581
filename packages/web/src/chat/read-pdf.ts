import { extractText, getDocumentProxy } from "unpdf";

/** The text of a PDF, page by page. */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: false });
  return text.map((page, index) => (text.length === 1 ? page : `[Page ${index + 1}]\n${page}`)).join("\n\n");
}
