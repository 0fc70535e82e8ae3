/** The type of the journal entries that link a step to its sub-workflow: a rewind of the step removes the link. */
export const linkType = 'execution';

/** Where the journal names the sub-workflow of the step at this path. */
export function linkPath(path: string): string {
  return `${path}#${linkType}`;
}
