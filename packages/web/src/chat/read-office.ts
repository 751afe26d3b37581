import { strFromU8, unzipSync } from "fflate";

/** Which files of the archive hold the text, for each kind of archive. */
const kinds: readonly { readonly holds: string; readonly texts: RegExp }[] = [
  { holds: "word/document.xml", texts: /^word\/(?:document|footnotes|endnotes)\.xml$/ },
  { holds: "xl/workbook.xml", texts: /^xl\/worksheets\/sheet\d+\.xml$/ },
  { holds: "ppt/presentation.xml", texts: /^ppt\/(?:slides|notesSlides)\/\w+\d+\.xml$/ },
  // OpenDocument: text, sheets and slides alike.
  { holds: "content.xml", texts: /^content\.xml$/ },
];
/** A document of a few megabytes does not unpack to more; a zip bomb does. */
const largestText = 64 * 1024 * 1024;

/** The text of a Word, Excel, PowerPoint or OpenDocument file; undefined when the archive is none of them. */
export function readOffice(bytes: Uint8Array): string | undefined {
  const names: string[] = [];
  unzipSync(bytes, {
    filter: ({ name }) => {
      names.push(name);
      return false;
    },
  });
  const kind = kinds.find(({ holds }) => names.includes(holds));
  if (kind === undefined) return undefined;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) =>
      originalSize < largestText && (kind.texts.test(name) || name === "xl/sharedStrings.xml"),
  });
  const parse = (name: string) =>
    new DOMParser().parseFromString(strFromU8(files[name] ?? new Uint8Array()), "text/xml");
  const shared = files["xl/sharedStrings.xml"] === undefined ? [] : textsOf(parse("xl/sharedStrings.xml"), "si");
  return Object.keys(files)
    .filter((name) => kind.texts.test(name))
    .toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }))
    .map((name) =>
      name.startsWith("xl/") ? sheetText(parse(name), shared) : textsOf(parse(name), "p", "h").join("\n"),
    )
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** The text of each element with one of these names, in any namespace. */
function textsOf(document: Document, ...names: readonly string[]): string[] {
  return [...document.getElementsByTagName("*")]
    .filter(({ localName }) => names.includes(localName))
    .map(({ textContent }) => textContent ?? "");
}

/** One line per row, with tabs between cells. */
function sheetText(document: Document, shared: readonly string[]): string {
  return [...document.getElementsByTagName("row")]
    .map((row) =>
      [...row.getElementsByTagName("c")]
        .map((cell) => {
          const value = cell.getElementsByTagName("v")[0]?.textContent ?? cell.textContent ?? "";
          return cell.getAttribute("t") === "s" ? (shared[Number(value)] ?? "") : value;
        })
        .join("\t"),
    )
    .join("\n");
}
