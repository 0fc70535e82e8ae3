/** Something that the palette can open or do. */
export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  /** An id or a description, which is searched too. */
  readonly hint?: string | undefined;
  /** Shown only if something is searched: there are many of its kind. */
  readonly isMany?: boolean;
  readonly run: () => void;
}

const most = 40;

/**
 * The entries that match all words, best first: the name begins with the text, a word of it does,
 * or it is somewhere. Entries of the same rank keep their order.
 */
export function findEntries(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.filter(({ isMany }) => isMany !== true);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function rankOf({ group, hint = '', name }: Entry, words: readonly string[]): number {
  const [title, all] = [name.toLowerCase(), `${name} ${hint} ${group}`.toLowerCase()];
  const [first = ''] = words;
  if (!words.every((word) => all.includes(word))) return 0;
  if (title.startsWith(first)) return 3;
  return title.split(/[\s_-]+/).some((word) => word.startsWith(first)) ? 2 : 1;
}

/** What a text may be the id of. */
export function kindsOfId(text: string): readonly ('trace' | 'span' | 'conversation' | 'user')[] {
  if (/^[\da-f]{32}$/.test(text)) return ['trace'];
  if (/^[\da-f]{16}$/.test(text)) return ['span', 'conversation', 'user'];
  return /^[^\s/]{3,200}$/.test(text) ? ['conversation', 'user'] : [];
}
