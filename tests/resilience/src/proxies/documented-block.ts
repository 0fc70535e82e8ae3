import { readBlocks, readDocuments } from '@halyard/test-docs/documents';

/** The block of docs/proxies.md that contains a text. */
export function documentedBlock(text: string): string {
  const [document] = readDocuments('docs/proxies.md');
  const blocks = document === undefined ? [] : readBlocks(document).blocks;
  const found = blocks.map(({ lines }) => lines.join('\n')).filter((block) => block.includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of docs/proxies.md contain ${text}`);
  return block;
}

/** Replaces a part of a documented text that must be in it. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`docs/proxies.md has no ${part}`);
  return text.replace(part, by);
}
