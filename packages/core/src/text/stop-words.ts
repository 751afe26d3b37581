import { stem } from "./terms-of.ts";

const lists = [
  "a an the and or but if of at by for with about to from in on off as is am are was were be been being have has had do",
  "does did doing will would can could should shall may might must this that these those it its i me my we our you your",
  "he she they them his her their him us so than too very just also there here what which who whom when where why how",
  "all any both each few more most other some such no nor not only own same s t don now up out then into over ok yes",
  "please thanks hi hello hey well yeah okay oh um uh like really actually sure great let m re ve ll d get got",
  "der die das und oder aber ein eine einen einem einer ist sind war ich du er sie es wir ihr mit von zu im den dem",
  "le la les de des du un une et ou est sont je tu il elle nous vous ce cette que qui dans pour pas sur avec au aux",
  "el los las y o son yo una del en por para con se lo como al su",
];

/** Words that carry no weight in a search, written as `termsOf` writes them. */
export const stopWords: ReadonlySet<string> = new Set(lists.flatMap((list) => list.split(" ").map(stem)));
