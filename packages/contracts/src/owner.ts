/**
 * Whose data an operation may touch. Stores put it in their query, so that another person's data is not found rather than filtered out.
 *
 * `'anyone'` is written out by those who may see everything: a console, a server without users. There is no default.
 */
export type Owner = { readonly user: string } | 'anyone';
