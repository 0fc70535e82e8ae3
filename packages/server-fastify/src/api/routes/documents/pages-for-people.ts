/**
 * Pages that people open by their address, which cannot carry a header: a browser without the
 * console key gets a page that asks for it.
 */
export const pagesForPeople: ReadonlySet<string> = new Set(['/', '/ui', '/doc']);
